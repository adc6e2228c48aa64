"""What each part of VPP keeps beside the interfaces themselves, one module per part. They hold, and decide nothing."""
