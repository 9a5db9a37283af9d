// The hosted service behind every gateway in this suite: a small JSON response, an event stream whose
// only event contains its send time, and silent WebSockets.
import { createServer } from 'node:http';

const BODY = JSON.stringify({ hello: 'you', items: [1, 2, 3] });

const SWITCH =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

const server = createServer((request, response) => {
  if (request.url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    setTimeout(() => {
      response.write(`data: ${performance.timeOrigin + performance.now()}\n\n`);
    }, 5);
    return;
  }
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': BODY.length })
    .end(BODY);
});
server.on('upgrade', (_request, socket) => {
  socket.on('error', () => {}).resume();
  socket.write(SWITCH);
});
server.listen(Number(process.argv[2]), '127.0.0.1');
