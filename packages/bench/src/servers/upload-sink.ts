// Grants every upload and discards the content.
import { createServer } from 'node:http';

const port = Number(process.argv[2]);
const GRANT = JSON.stringify({
  statusCode: 200,
  body: {
    requestId: '5d1f8c1e-7f0a-4c3b-9a55-1f2f3f6b8e21',
    data: {
      url: `http://127.0.0.1:${port}/upload`,
      token: 'a token',
      authorization: 'a signature',
      fileID: 'cloud://dev.files/a/file.bin',
      storeFileID: 'a file id',
    },
  },
});

createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.url === '/upload') response.writeHead(204).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(GRANT);
  });
}).listen(port, '127.0.0.1');
