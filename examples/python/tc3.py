# tc3.py
import hashlib
import hmac
import time
from urllib.parse import urlsplit


def sign_gateway(key_id, key, method, url, content_type, body=b"", service="svc", now=None):
    """Returns the headers of a signed gateway call. Send exactly this URL, content type and body."""
    parts = urlsplit(url)
    signed = {"content-type": content_type, "host": parts.netloc.lower()}
    request = "\n".join([
        method,
        parts.path,
        parts.query,
        *(f"{name}:{value}" for name, value in signed.items()),
        "",
        ";".join(signed),
        hashlib.sha256(body).hexdigest(),
    ])
    now = int(time.time()) if now is None else now
    value = f"{_sign(key_id, key, request, service, now)}, Timestamp={now}"
    return {"Authorization": value, "Content-Type": content_type}


def sign_storage(key_id, key, host="api.berth.example", service="svc", token="", now=None):
    """Returns the headers of a signed storage call. The signature covers constant text, not the call."""
    content_type = "application/json; charset=utf-8"
    request = "\n".join([
        "POST",
        f"//{host}/",
        "",
        f"content-type:{content_type}",
        f"host:{host}",
        "",
        "content-type;host",
        hashlib.sha256(b"").hexdigest(),
    ])
    now = int(time.time()) if now is None else now
    return {
        "X-Svc-Authorization": f"1.0 {_sign(key_id, key, request, service, now)}",
        "X-Svc-TimeStamp": str(now),
        "X-Svc-SessionToken": token,
    }


def _sign(key_id, key, request, service, now):
    scope = f"{time.strftime('%Y-%m-%d', time.gmtime(now))}/{service}/tc3_request"
    digest = hashlib.sha256(request.encode()).hexdigest()
    secret = f"TC3{key}".encode()
    for part in [*scope.split("/"), f"TC3-HMAC-SHA256\n{now}\n{scope}\n{digest}"]:
        signature = hmac.new(secret, part.encode(), hashlib.sha256)
        secret = signature.digest()
    return (
        f"TC3-HMAC-SHA256 Credential={key_id}/{scope}, "
        f"SignedHeaders=content-type;host, Signature={signature.hexdigest()}"
    )
