// A driver for a client in plain Go: npx berth-conformance client -- go run driver.go
package main

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
)

const mostBytes = 16 << 20

// Task is a line on stdin. Each kind of task uses some of the fields.
type Task struct {
	ID                                int
	Task, Method, Service, Path, Auth string
	Body                              json.RawMessage
	Count                             int
	Content, FileID                   string
	FileIDs                           []string
	Files                             []map[string]any
}

// CallError is an error of a call, as the driver reports it.
type CallError struct {
	Code      string `json:"code,omitempty"`
	Status    int    `json:"status,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	Message   string `json:"message"`
}

func (e *CallError) Error() string { return e.Message }

// Without connections that stay open, net/http never sends a request again by itself.
var client = http.Client{
	Timeout:       30 * time.Second,
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

var dots = regexp.MustCompile(`(?i)(^|/)(\.|%2e){1,2}(/|$)`)

// encode escapes what HTTP does not allow in a URL, and nothing else.
func encode(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		if b <= ' ' || b >= 0x7f || strings.IndexByte("\"<>\\^`{|}", b) >= 0 {
			fmt.Fprintf(&out, "%%%02X", b)
		} else {
			out.WriteByte(b)
		}
	}
	return out.String()
}

func sum(data []byte) string {
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:])
}

// sign returns the TC3 signature of a canonical request.
func sign(lines []string, now time.Time) string {
	date := now.UTC().Format("2006-01-02")
	scope := date + "/svc/tc3_request"
	text := fmt.Sprintf("TC3-HMAC-SHA256\n%d\n%s\n%s", now.Unix(), scope, sum([]byte(strings.Join(lines, "\n"))))
	key := []byte("TC3" + os.Getenv("BERTH_SECRET_KEY"))
	for _, part := range []string{date, "svc", "tc3_request", text} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	return fmt.Sprintf("TC3-HMAC-SHA256 Credential=%s/%s, SignedHeaders=content-type;host, Signature=%s",
		os.Getenv("BERTH_SECRET_ID"), scope, hex.EncodeToString(key))
}

func open(method, address string, headers map[string]string, body []byte) (*http.Response, error) {
	path, _, _ := strings.Cut(address, "?")
	if dots.MatchString(path) {
		return nil, errors.New("a path must not contain dot segments")
	}
	request, err := http.NewRequest(method, encode(address), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	return client.Do(request)
}

func read(response *http.Response) ([]byte, error) {
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostBytes+1))
	if err == nil && len(body) > mostBytes {
		err = errors.New("the response is too large")
	}
	return body, err
}

func openGateway(task Task, method string, body []byte, accept string) (*http.Response, error) {
	base := os.Getenv("BERTH_GATEWAY_URL")
	address := base + "/v1/cloudrun/" + task.Service
	if task.Path != "" {
		address += "/" + encode(task.Path)
	}
	headers := map[string]string{"Accept": accept, "Content-Type": "application/json"}
	headers["Authorization"] = "Bearer " + os.Getenv("BERTH_TOKEN")
	if task.Auth == "key" {
		now := time.Now()
		path, query, _ := strings.Cut(strings.TrimPrefix(address, base), "?")
		host := "host:" + strings.TrimPrefix(base, "http://")
		lines := []string{method, path, query, "content-type:application/json", host, "", "content-type;host", sum(body)}
		headers["Authorization"] = fmt.Sprintf("%s, Timestamp=%d, Token=%s", sign(lines, now), now.Unix(), os.Getenv("BERTH_SESSION_TOKEN"))
	}
	response, err := open(method, address, headers, body)
	if err != nil || response.StatusCode < 300 {
		return response, err
	}
	var found struct{ Code, RequestID string }
	text, _ := read(response)
	json.Unmarshal(text, &found)
	return nil, &CallError{found.Code, response.StatusCode, found.RequestID, "the call failed"}
}

func call(task Task) (any, error) {
	var body []byte
	if task.Method == "POST" {
		body = task.Body
	}
	response, err := openGateway(task, task.Method, body, "*/*")
	if err != nil {
		return nil, err
	}
	text, err := read(response)
	if err != nil {
		return nil, err
	}
	if len(text) > 0 && strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		if !json.Valid(text) {
			return nil, errors.New("the response is not JSON")
		}
		return map[string]any{"body": json.RawMessage(text)}, nil
	}
	return map[string]any{"body": string(text)}, nil
}

// Event is an event of a stream.
type Event struct {
	Event string `json:"event"`
	Data  string `json:"data"`
	ID    string `json:"id"`
}

func events(task Task) (any, error) {
	response, err := openGateway(task, "GET", nil, "text/event-stream")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	scanner := bufio.NewScanner(response.Body)
	scanner.Buffer(nil, mostBytes)
	afterCR := false
	scanner.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		skip := 0
		if afterCR && len(data) > 0 {
			afterCR = false
			if data[0] == '\n' {
				skip = 1
			}
		}
		end := bytes.IndexAny(data[skip:], "\r\n")
		if end < 0 {
			return skip, nil, nil
		}
		end += skip
		afterCR = data[end] == '\r'
		return end + 1, data[skip:end], nil
	})
	found, data, event, id := []Event{}, []string{}, "", ""
	for len(found) < task.Count && scanner.Scan() {
		line := scanner.Text()
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if event == "" {
				event = "message"
			}
			if len(data) > 0 {
				found = append(found, Event{event, strings.Join(data, "\n"), id})
			}
			data, event = []string{}, ""
		case name == "data":
			data = append(data, value)
		case name == "event":
			event = value
		case name == "id":
			id = value
		}
	}
	return map[string]any{"events": found}, nil
}

func storage(operation string, fields any, data any) error {
	now := time.Now()
	lines := []string{"POST", "//api.berth.example/", "", "content-type:application/json; charset=utf-8",
		"host:api.berth.example", "", "content-type;host", sum(nil)}
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	address := os.Getenv("BERTH_STORAGE_URL") + "/api/v2/envs/" + os.Getenv("BERTH_ENV") + "/storages:" + operation
	response, err := open("POST", address, map[string]string{
		"Content-Type":        "application/json",
		"X-Svc-Authorization": "1.0 " + sign(lines, now),
		"X-Svc-SessionToken":  os.Getenv("BERTH_SESSION_TOKEN"),
		"X-Svc-TimeStamp":     fmt.Sprint(now.Unix()),
	}, body)
	if err != nil {
		return err
	}
	text, err := read(response)
	if err != nil {
		return err
	}
	type content struct {
		Code, RequestID string
		Data            json.RawMessage
	}
	var envelope struct {
		Body *content
		content
	}
	json.Unmarshal(text, &envelope)
	found := envelope.content
	if envelope.Body != nil {
		found = *envelope.Body
	}
	if response.StatusCode != 200 || found.Data == nil {
		return &CallError{found.Code, response.StatusCode, found.RequestID, "the storage call failed"}
	}
	return json.Unmarshal(found.Data, data)
}


func upload(task Task) (any, error) {
	var grant struct{ URL, Token, Authorization, FileID, StoreFileID string }
	if err := storage("getUploadMetaData", map[string]string{"path": task.Path}, &grant); err != nil {
		return nil, err
	}
	if grant.URL == "" || grant.Authorization == "" || grant.Token == "" {
		return nil, errors.New("the grant is incomplete")
	}
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	for _, field := range [][2]string{
		{"Signature", grant.Authorization}, {"x-store-security-token", grant.Token},
		{"x-store-meta-fileid", grant.StoreFileID}, {"key", task.Path},
	} {
		writer.WriteField(field[0], field[1])
	}
	file, _ := writer.CreateFormFile("file", "file")
	content, err := base64.StdEncoding.DecodeString(task.Content)
	if err != nil {
		return nil, err
	}
	file.Write(content)
	writer.Close()
	headers := map[string]string{"Content-Type": writer.FormDataContentType()}
	response, err := open("POST", grant.URL, headers, form.Bytes())
	if err != nil {
		return nil, err
	}
	text, err := read(response)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 300 || bytes.Contains(text, []byte("<Error>")) {
		_, code, _ := strings.Cut(string(text), "<Code>")
		code, _, _ = strings.Cut(code, "</Code>")
		return nil, &CallError{Code: code, Status: response.StatusCode, Message: "the upload failed"}
	}
	return map[string]any{"fileID": grant.FileID}, nil
}

// File is the result for a file in a list.
type File struct {
	URL   string     `json:"url,omitempty"`
	Error *CallError `json:"error,omitempty"`
}

func list(operation string, items any) ([]File, error) {
	var data struct {
		FileList []struct{ Code, Message, TempFileURL string }
	}
	if err := storage(operation, map[string]any{"fileList": items}, &data); err != nil {
		return nil, err
	}
	files := []File{}
	for _, entry := range data.FileList {
		file := File{URL: entry.TempFileURL}
		if entry.Code != "SUCCESS" && (entry.Code != "" || operation != "batchCopyFile") {
			file = File{Error: &CallError{Code: entry.Code, Message: entry.Message}}
		}
		files = append(files, file)
	}
	return files, nil
}

func links(ids ...string) ([]File, error) {
	items := []map[string]string{}
	for _, id := range ids {
		items = append(items, map[string]string{"fileID": id})
	}
	return list("batchGetTempUrls", items)
}

func download(task Task) (any, error) {
	files, err := links(task.FileID)
	if err != nil {
		return nil, err
	}
	if len(files) != 1 || files[0].Error != nil {
		return nil, errors.New("the file has no link")
	}
	response, err := open("GET", files[0].URL, nil, nil)
	if err != nil {
		return nil, err
	}
	content, err := read(response)
	if err == nil && response.StatusCode != 200 {
		err = &CallError{Status: response.StatusCode, Message: "the download failed"}
	}
	return map[string]any{"content": content}, err
}

func toFiles(files []File, err error) (any, error) { return map[string]any{"files": files}, err }

var tasks = map[string]func(Task) (any, error){
	"call": call, "events": events, "upload": upload, "download": download,
	"links":  func(task Task) (any, error) { return toFiles(links(task.FileIDs...)) },
	"delete": func(task Task) (any, error) { return toFiles(list("batchDelete", task.FileIDs)) },
	"copy":   func(task Task) (any, error) { return toFiles(list("batchCopyFile", task.Files)) },
	"move": func(task Task) (any, error) {
		for _, file := range task.Files {
			file["removeOriginal"] = true
		}
		return toFiles(list("batchCopyFile", task.Files))
	},
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, mostBytes)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		var task Task
		if err := json.Unmarshal(input.Bytes(), &task); err != nil {
			panic(err)
		}
		reply := map[string]any{"id": task.ID}
		if run, ok := tasks[task.Task]; !ok {
			reply["unsupported"] = true
		} else if result, err := run(task); err != nil {
			found := &CallError{Message: err.Error()}
			errors.As(err, &found)
			reply["error"] = found
		} else {
			reply["result"] = result
		}
		output.Encode(reply)
	}
}
