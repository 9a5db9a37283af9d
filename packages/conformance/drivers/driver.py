"""A driver for a client in plain Python: npx berth-conformance client -- python3 driver.py"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import sys
import time
import uuid
from urllib.parse import quote, urlsplit

ENV = os.environ
STORAGE = f"/api/v2/envs/{ENV['BERTH_ENV']}/storages:"
TIMEOUT = 30
MOST_BYTES = 16 * 1024 * 1024
CHARACTERS = "!#$%&'()*+,/:;=?@[]~"  # and letters, digits, "-", "." and "_"


class CallError(Exception):
    def __init__(self, message, **fields):
        super().__init__(message)
        self.fields = {"message": message, **fields}


def sign(lines, now):
    """Returns a TC3 signature of a canonical request."""
    scope = f"{time.strftime('%Y-%m-%d', time.gmtime(now))}/svc/tc3_request"
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    key = f"TC3{ENV['BERTH_SECRET_KEY']}".encode()
    for part in [*scope.split("/"), f"TC3-HMAC-SHA256\n{now}\n{scope}\n{digest}"]:
        signature = hmac.new(key, part.encode(), hashlib.sha256)
        key = signature.digest()
    credential = f"{ENV['BERTH_SECRET_ID']}/{scope}"
    names = "SignedHeaders=content-type;host"
    return f"TC3-HMAC-SHA256 Credential={credential}, {names}, Signature={signature.hexdigest()}"


def open_response(method, url, headers, body=b""):
    """Sends a request to exactly this URL, and never sends it again."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=TIMEOUT)
    target = url[url.index(parts.netloc) + len(parts.netloc):] or "/"
    if any(segment.replace("%2e", ".").replace("%2E", ".") in (".", "..")
           for segment in target.split("?")[0].split("/")):
        raise CallError("a path must not contain dot segments")
    connection.request(method, quote(target, safe=CHARACTERS), body, headers)
    return connection.getresponse()


def read(response):
    body = response.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise CallError("the response is too large", status=response.status)
    # With a length to read, http.client does not report a body that is cut off.
    if response.length:
        raise CallError("the response is cut off")
    return body


def parse(body):
    try:
        return json.loads(body)
    except ValueError:
        return None


def open_gateway(task, method, body=b"", accept="*/*"):
    url = f"{ENV['BERTH_GATEWAY_URL']}/v1/cloudrun/{task['service']}"
    path = quote(task["path"], safe=CHARACTERS)
    url += f"/{path}" if path else ""
    headers = {"Accept": accept, "Content-Type": "application/json"}
    if task.get("auth") == "key":
        target = url[len(ENV["BERTH_GATEWAY_URL"]):].partition("?")
        now = int(time.time())
        value = sign([method, target[0], target[2], "content-type:application/json",
                      f"host:{urlsplit(url).netloc}", "", "content-type;host",
                      hashlib.sha256(body).hexdigest()], now)
        headers["Authorization"] = f"{value}, Timestamp={now}, Token={ENV['BERTH_SESSION_TOKEN']}"
    else:
        headers["Authorization"] = f"Bearer {ENV['BERTH_TOKEN']}"
    response = open_response(method, url, headers, body)
    if response.status >= 300:
        error = parse(read(response)) or {}
        raise CallError("the call failed", code=error.get("code"), status=response.status,
                        requestId=error.get("requestId"))
    return response


def call(task):
    body = json.dumps(task["body"]).encode() if task["method"] == "POST" else b""
    response = open_gateway(task, task["method"], body)
    text = read(response).decode()
    is_json = response.headers.get_content_type() == "application/json"
    return {"body": json.loads(text) if is_json and text else text}


def lines_of(response):
    """Yields the complete lines of an event stream."""
    line, after_cr = b"", False
    while byte := response.read(1):
        if byte == b"\n" and after_cr:
            after_cr = False
        elif byte in b"\r\n":
            yield line.decode()
            line, after_cr = b"", byte == b"\r"
        else:
            line, after_cr = line + byte, False


def events(task):
    response = open_gateway(task, "GET", accept="text/event-stream")
    found, data, event, last_id = [], [], "", ""
    try:
        for line in lines_of(response):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "data" and line:
                data.append(value)
            elif name == "event":
                event = value
            elif name == "id":
                last_id = value
            elif line == "":
                if data:
                    found.append({"event": event or "message", "data": "\n".join(data), "id": last_id})
                data, event = [], ""
                if len(found) == task["count"]:
                    break
    except http.client.HTTPException:
        pass  # A client that only reads a stream once returns what it has.
    return {"events": found}


def storage(operation, fields):
    now = int(time.time())
    lines = ["POST", "//api.berth.example/", "", "content-type:application/json; charset=utf-8",
             "host:api.berth.example", "", "content-type;host", hashlib.sha256(b"").hexdigest()]
    headers = {
        "Content-Type": "application/json",
        "X-Svc-Authorization": f"1.0 {sign(lines, now)}",
        "X-Svc-SessionToken": ENV["BERTH_SESSION_TOKEN"],
        "X-Svc-TimeStamp": str(now),
    }
    url = ENV["BERTH_STORAGE_URL"] + STORAGE + operation
    response = open_response("POST", url, headers, json.dumps(fields).encode())
    content = parse(read(response)) or {}
    body = content.get("body", content)
    if response.status == 200 and isinstance(body.get("data"), dict):
        return body["data"]
    raise CallError("the storage call failed", code=body.get("code"), status=response.status,
                    requestId=body.get("requestId"))


def upload(task):
    grant = storage("getUploadMetaData", {"path": task["path"]})
    fields = {
        "Signature": grant["authorization"],
        "x-store-security-token": grant["token"],
        "x-store-meta-fileid": grant["storeFileID"],
        "key": task["path"],
    }
    boundary = uuid.uuid4().hex
    parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
             for name, value in fields.items()]
    parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n'
                 "Content-Type: application/octet-stream\r\n\r\n".encode())
    body = b"".join([*parts, base64.b64decode(task["content"]), f"\r\n--{boundary}--\r\n".encode()])
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    response = open_response("POST", grant["url"], headers, body)
    text = read(response).decode()
    if response.status >= 300 or "<Error>" in text:
        code = text.partition("<Code>")[2].partition("</Code>")[0]
        raise CallError("the upload failed", code=code or None, status=response.status)
    return {"fileID": grant["fileID"]}


def batch(operation, items):
    entries = storage(operation, {"fileList": items})["fileList"]
    return {"files": [
        {"error": {"code": entry["code"], "message": entry.get("message")}}
        if entry.get("code", "SUCCESS") != "SUCCESS" else {"url": entry.get("tempFileURL")}
        for entry in entries
    ]}


def links(task):
    return batch("batchGetTempUrls", [{"fileID": file_id} for file_id in task["fileIDs"]])


def download(task):
    [file] = links({"fileIDs": [task["fileID"]]})["files"]
    if "error" in file:
        raise CallError("the file has no link", code=file["error"]["code"])
    response = open_response("GET", file["url"], {})
    content = read(response)
    if response.status != 200:
        raise CallError("the download failed", status=response.status)
    return {"content": base64.b64encode(content).decode()}


TASKS = {
    "call": call,
    "events": events,
    "upload": upload,
    "download": download,
    "links": links,
    "delete": lambda task: batch("batchDelete", task["fileIDs"]),
    "copy": lambda task: batch("batchCopyFile", task["files"]),
    "move": lambda task: batch("batchCopyFile", [{**file, "removeOriginal": True} for file in task["files"]]),
}


def run(task):
    if task["task"] not in TASKS:
        return {"unsupported": True}
    try:
        return {"result": TASKS[task["task"]](task)}
    except CallError as error:
        return {"error": {name: value for name, value in error.fields.items() if value is not None}}
    except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
        return {"error": {"message": repr(error)}}


for line in sys.stdin:
    task = json.loads(line)
    print(json.dumps({"id": task["id"], **run(task)}), flush=True)
