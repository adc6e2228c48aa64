"""vpp/api/vpe.api: what VPP says of itself."""

TEXT = """
version 23.06 1.7.0 bbfa7484
version 24.10 1.7.0 bbfa7484
version 26.06 1.7.0 bbfa7484
version 26.10 1.7.0 bbfa7484
alias timestamp f64
request show_version 51077d14
reply show_version_reply c919bde1: i32 retval, string program[32], string version[32], string build_date[32], \
string build_directory[256]
request show_vpe_system_time 51077d14
reply show_vpe_system_time_reply 7ffd8193: i32 retval, timestamp vpe_system_time
"""
