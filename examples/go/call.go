// call.go
package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"time"
)

const mock = "http://127.0.0.1:4010"

var pair = KeyPair{ID: "berth-mock-id", Secret: "berth-mock-secret", Service: "svc"} // of the mock

func main() {
	body := []byte(`{"name":"Ada"}`)
	request := post("/v1/cloudrun/hello/a/b?x=1&x=2", body)
	pair.SignGateway(request, body, time.Now())
	send(request)

	request = post("/api/v2/envs/dev/storages:batchDelete", []byte(`{"fileList":["cloud://dev.files/none.txt"]}`))
	pair.SignStorage(request, "api.berth.example", time.Now())
	send(request)
}

func post(path string, body []byte) *http.Request {
	request, err := http.NewRequest("POST", mock+path, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Content-Type", "application/json")
	return request
}

func send(request *http.Request) {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(text), err)
}
