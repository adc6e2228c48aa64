"""plugins/sflow/sflow.api: sampling of packets."""

TEXT = """
version 26.06- 0.1.0 273ad146
import interface_index
request sflow_enable_disable 8499814f: bool enable_disable, interface_index hw_if_index
reply sflow_enable_disable_reply e8d4e804: i32 retval
request sflow_sampling_rate_get 51077d14
reply sflow_sampling_rate_get_reply 9c8c8236: u32 sampling_N
request sflow_sampling_rate_set 94778f50: u32 sampling_N=10000
reply sflow_sampling_rate_set_reply e8d4e804: i32 retval
request sflow_polling_interval_set 7f19cb51: u32 polling_S=20
reply sflow_polling_interval_set_reply e8d4e804: i32 retval
request sflow_polling_interval_get 51077d14
reply sflow_polling_interval_get_reply e929801c: u32 polling_S
request sflow_header_bytes_set 5baf56f3: u32 header_B=128
reply sflow_header_bytes_set_reply e8d4e804: i32 retval
request sflow_header_bytes_get 51077d14
reply sflow_header_bytes_get_reply 624c95b9: u32 header_B
request sflow_direction_set fbca6f34: u32 sampling_D
reply sflow_direction_set_reply e8d4e804: i32 retval
request sflow_direction_get 51077d14
reply sflow_direction_get_reply f3316252: u32 sampling_D
request sflow_drop_monitoring_set 100b1e04: u32 drop_M
reply sflow_drop_monitoring_set_reply e8d4e804: i32 retval
request sflow_drop_monitoring_get 51077d14
reply sflow_drop_monitoring_get_reply b56ae30e: u32 drop_M
request sflow_interface_dump 451a727d streams sflow_interface_details: interface_index hw_if_index=4294967295
reply sflow_interface_details b7b9143f: interface_index hw_if_index
"""
