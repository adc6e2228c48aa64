"""One function per API message, one module per subject: arguments in, reply values out, VPP's codes for refusals."""
