# call.py
import httpx

from tc3 import sign_gateway, sign_storage

KEY_ID, KEY = "berth-mock-id", "berth-mock-secret"  # of the mock


class GatewayAuth(httpx.Auth):
    requires_request_body = True

    def auth_flow(self, request):
        content_type = request.headers.get("Content-Type", "application/json")
        url = str(request.url)
        request.headers.update(
            sign_gateway(KEY_ID, KEY, request.method, url, content_type, request.content)
        )
        yield request


class StorageAuth(httpx.Auth):
    def auth_flow(self, request):
        request.headers.update(sign_storage(KEY_ID, KEY))
        yield request


with httpx.Client(base_url="http://127.0.0.1:4010", auth=GatewayAuth()) as gateway:
    response = gateway.post("/v1/cloudrun/hello/a/b?x=1&x=2", json={"name": "Ada"})
    print(response.status_code, response.json())

with httpx.Client(base_url="http://127.0.0.1:4010", auth=StorageAuth()) as storage:
    response = storage.post(
        "/api/v2/envs/dev/storages:getUploadMetaData", json={"path": "hello.txt"}
    )
    grant = response.json()["body"]["data"]

form = {
    "Signature": grant["authorization"],
    "x-store-security-token": grant["token"],
    "x-store-meta-fileid": grant["storeFileID"],
    "key": "hello.txt",
}
response = httpx.post(grant["url"], data=form, files={"file": b"Hello from Python."})
print(response.status_code, grant["fileID"])
