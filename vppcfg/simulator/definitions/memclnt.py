"""vlibmemory/memclnt.api: how a client says hello, goodbye, and asks whether VPP is there."""

TEXT = """
version 23.06 2.1.0 21d36234
version 24.10 2.1.0 b197c551
version 26.06 2.1.0 b197c551
version 26.10 2.1.0 b197c551
struct module_version: u32 major, u32 minor, u32 patch, string name[64]
struct message_table_entry: u16 index, string name[64]
request api_versions 51077d14
reply api_versions_reply 5f0d99d6: i32 retval, u32 count, module_version api_versions[count]
bare sockclnt_create 455fb9c4 then sockclnt_create_reply: u32 context, string name[64]
bare sockclnt_create_reply 35166268: u32 client_index, u32 context, i32 response, u32 index, u16 count, \
message_table_entry message_table[count]
request sockclnt_delete 8ac76db6: u32 index
reply sockclnt_delete_reply 8f38b1ee: i32 response
request control_ping 51077d14
reply control_ping_reply f6b0b8ca: i32 retval, u32 client_index, u32 vpe_pid
request get_api_json 51077d14 since 24.10
reply get_api_json_reply ea715b59 since 24.10: i32 retval, string json[]
"""

MESSAGE_IDS = {
    "api_versions": 12,
    "api_versions_reply": 13,
    "sockclnt_create": 15,
    "sockclnt_create_reply": 16,
    "sockclnt_delete": 17,
    "sockclnt_delete_reply": 18,
    "control_ping": 23,
    "control_ping_reply": 24,
    "get_api_json": 27,
    "get_api_json_reply": 28,
}
"""Ids that never change: a client must know the first before it has a table."""
