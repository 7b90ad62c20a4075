"""The client code of ReMe's document on context offload, as it stands there.

Only the address of the service, the messages that the document leaves out, and the names of files are filled in.
"""

import json
import os
import re
import sys

import requests

# API endpoint
BASE_URL = os.environ["SERVICE_URL"]


def offload_context(messages: list, mode: str = "auto", store_dir: str = "/workspace/context_store") -> dict:
    """
    Offload context using specified strategy

    Args:
        messages: List of conversation messages
        mode: "auto", "compact", or "compress"
        store_dir: Directory for external storage

    Returns:
        Response with offloaded messages and statistics
    """
    response = requests.post(
        url=f"{BASE_URL}context_offload",
        json={
            "messages": messages,
            "context_manage_mode": mode,
            "max_total_tokens": 20000,
            "max_tool_message_tokens": 2000,
            "keep_recent_count": 2,
            "store_dir": store_dir,
            "chat_id": "my_chat_session"
        }
    )
    return response.json()


def find_offloaded_files(store_dir: str = "./cache_file/", pattern: str = "tool") -> dict:
    """
    Find all offloaded file references in the context store

    Args:
        store_dir: Directory where offloaded content is stored
        pattern: Search pattern for file references

    Returns:
        Full response dict with search results in 'answer' field
    """
    response = requests.post(
        url=f"{BASE_URL}grep",
        json={
            "pattern": pattern,
            "path": store_dir,
            "glob": "*.txt",
            "limit": 100
        }
    )

    return response.json()


def reload_offloaded_content(file_path: str, offset: int = None, limit: int = None) -> dict:
    """
    Reload full content from an offloaded file

    Args:
        file_path: Path to the offloaded file (can be relative or absolute)
        offset: Optional line offset for pagination
        limit: Optional line limit for pagination

    Returns:
        Full response dict with file content in 'answer' field
    """
    params = {"absolute_path": file_path}
    if offset is not None:
        params["offset"] = offset
    if limit is not None:
        params["limit"] = limit

    response = requests.post(
        url=f"{BASE_URL}read_file",
        json=params
    )
    return response.json()


seen = {}
given = json.load(sys.stdin)
messages = given["messages"]

# Auto mode (recommended)
result = offload_context(messages, mode="auto")

if result['success']:
    # Get processed messages with reduced token count
    processed_messages = result['messages']
    # Check offloaded files
    write_file_dict = result['metadata'].get('write_file_dict', {})
    seen["files_created"] = {path: len(content) for path, content in write_file_dict.items()}
    # Use processed messages in next API call
    next_messages = processed_messages + [
        {"role": "user", "content": "Continue the task..."}
    ]
    seen["next_messages"] = next_messages
    seen["answer"] = result['answer']

# Access offloaded content when needed using the file paths in write_file_dict
file_paths = list(result['metadata']['write_file_dict'].keys())
seen["first_file"] = reload_offloaded_content(file_paths[0])["answer"]

# Pattern 3: Integration with Context Offload
offload_result = offload_context(messages, mode="auto", store_dir="./cache_file/")
file_paths = list(offload_result['metadata']['write_file_dict'].keys())
seen["pattern_3"] = {}
for file_path in file_paths:
    full_path = f"./{file_path}"  # Add ./ prefix if needed
    content_result = reload_offloaded_content(full_path)
    if content_result['success']:
        content = content_result['answer']
        seen["pattern_3"][file_path] = content == offload_result['metadata']['write_file_dict'][file_path]

# Example 1: Search for offloaded files
store_dir = "./cache_file/"
search_result = find_offloaded_files(store_dir, pattern="tool")
if search_result['success']:
    file_pattern = r'File: ([\w\.]+)'
    file_names = re.findall(file_pattern, search_result['answer'])
    seen["found"] = sorted(set(file_names))

# Example 2: Read specific offloaded file
file_path = "./cache_file/16995f21aab44f26ad55e3cd6068e6eb.txt"
content_result = reload_offloaded_content(file_path)
seen["missing"] = {"success": content_result['success'], "answer": content_result['answer']}

# Example 3: Reload file with pagination
large_file_path = f"./cache_file/{file_names[0]}"
page1 = reload_offloaded_content(large_file_path, offset=0, limit=100)
page2 = reload_offloaded_content(large_file_path, offset=100, limit=100)
seen["pages"] = [page['answer'] for page in (page1, page2) if page['success']]
seen["whole"] = reload_offloaded_content(large_file_path)['answer']

# Example 4 and Pattern 1: Batch reload from grep results
seen["loaded"] = {}
for file_name in file_names[:5]:  # Load first 5 files
    full_path = f"{store_dir}{file_name}"
    result = reload_offloaded_content(full_path)
    if result['success']:
        seen["loaded"][file_name] = len(result['answer'])

# Pattern 2: Direct Reload by Path
result = reload_offloaded_content("./cache_file/tool_call_123.txt")
seen["direct"] = result['success']

# Best practice 5: Batch Processing
seen["batch"] = []
for file_path in search_result['metadata']['matches']:
    content_result = reload_offloaded_content(file_path)
    seen["batch"].append(content_result['success'])

json.dump(seen, sys.stdout)
