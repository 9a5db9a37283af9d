// The hosted service behind every gateway of the suite: a small JSON answer, and an event stream whose
// only event says when it was sent.
import { createServer } from 'node:http';

const ANSWER = JSON.stringify({ hello: 'you', items: [1, 2, 3] });

createServer((request, response) => {
  if (request.url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    setTimeout(() => {
      response.write(`data: ${performance.timeOrigin + performance.now()}\n\n`);
    }, 5);
    return;
  }
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length })
    .end(ANSWER);
}).listen(Number(process.argv[2]), '127.0.0.1');
