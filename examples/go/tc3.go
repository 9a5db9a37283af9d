// tc3.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"
)

type KeyPair struct{ ID, Secret, Token, Service string }

// SignGateway signs a gateway call. Set its Content-Type first.
func (pair KeyPair) SignGateway(request *http.Request, body []byte, now time.Time) {
	authorization := pair.sign([]string{
		request.Method, request.URL.EscapedPath(), request.URL.RawQuery,
		"content-type:" + request.Header.Get("Content-Type"), "host:" + strings.ToLower(request.Host), "",
		"content-type;host", hash(body),
	}, now)
	authorization += fmt.Sprintf(", Timestamp=%d", now.Unix())
	if pair.Token != "" {
		authorization += ", Token=" + pair.Token
	}
	request.Header.Set("Authorization", authorization)
}

// SignStorage signs a storage call: a constant text that contains the signing host, not the call itself.
func (pair KeyPair) SignStorage(request *http.Request, signingHost string, now time.Time) {
	authorization := pair.sign([]string{
		"POST", "//" + signingHost + "/", "",
		"content-type:application/json; charset=utf-8", "host:" + signingHost, "",
		"content-type;host", hash(nil),
	}, now)
	request.Header.Set("X-Svc-Authorization", "1.0 "+authorization)
	request.Header.Set("X-Svc-TimeStamp", fmt.Sprint(now.Unix()))
	request.Header.Set("X-Svc-SessionToken", pair.Token)
}

func (pair KeyPair) sign(lines []string, now time.Time) string {
	date := now.UTC().Format("2006-01-02")
	scope := date + "/" + pair.Service + "/tc3_request"
	text := fmt.Sprintf("TC3-HMAC-SHA256\n%d\n%s\n%s", now.Unix(), scope, hash([]byte(strings.Join(lines, "\n"))))
	key := []byte("TC3" + pair.Secret)
	for _, part := range []string{date, pair.Service, "tc3_request", text} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	return fmt.Sprintf("TC3-HMAC-SHA256 Credential=%s/%s, SignedHeaders=content-type;host, Signature=%s", pair.ID, scope, hex.EncodeToString(key))
}

func hash(bytes []byte) string {
	sum := sha256.Sum256(bytes)
	return hex.EncodeToString(sum[:])
}
