# call.py
from urllib.request import Request, urlopen

from tc3 import sign_gateway, sign_storage

MOCK = "http://127.0.0.1:4010"
PAIR = ("berth-mock-id", "berth-mock-secret")  # of the mock


def post(url, body, headers):
    with urlopen(Request(url, body, headers)) as response:
        print(response.status, response.read().decode())


url, body = f"{MOCK}/v1/cloudrun/hello/a/b?x=1&x=2", b'{"name":"Ada"}'
post(url, body, sign_gateway(*PAIR, "POST", url, "application/json", body))

body = b'{"fileList":["cloud://dev.files/none.txt"]}'
headers = {**sign_storage(*PAIR), "Content-Type": "application/json"}
post(f"{MOCK}/api/v2/envs/dev/storages:batchDelete", body, headers)
