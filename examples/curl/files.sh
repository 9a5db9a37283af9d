# files.sh: uploads a file in two steps, gets a link and downloads it. Needs jq.
storage() {
  curl -sS "http://127.0.0.1:4010/api/v2/envs/dev/storages:$1" -H 'Content-Type: application/json' \
    -H 'X-Svc-Authorization: 1.0 any' -H "X-Svc-TimeStamp: $(date +%s)" -d "$2" | jq .body.data
}
field() {
  jq -r ".$1" grant.json
}

storage getUploadMetaData '{"path":"hello.txt"}' > grant.json
curl -sS "$(field url)" --form-string "Signature=$(field authorization)" \
  --form-string "x-store-security-token=$(field token)" \
  --form-string "x-store-meta-fileid=$(field storeFileID)" \
  --form-string 'key=hello.txt' -F 'file=Hello, Ada.;filename=hello.txt'

storage batchGetTempUrls "{\"fileList\":[{\"fileID\":\"$(field fileID)\"}]}" > links.json
curl -sS "$(jq -r '.fileList[0].tempFileURL' links.json)"
