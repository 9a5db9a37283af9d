// The hosted service behind both gateways: a small JSON response.
import { createServer } from 'node:http';

const BODY = JSON.stringify({ hello: 'you', items: [1, 2, 3] });

createServer((_request, response) => {
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': BODY.length })
    .end(BODY);
}).listen(Number(process.argv[2]), '127.0.0.1');
