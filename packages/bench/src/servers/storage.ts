// A deployment with fixed responses, so that only the cost of the client varies.
import { createServer } from 'node:http';

const BODY = JSON.stringify({
  statusCode: 200,
  body: {
    requestId: '5d1f8c1e-7f0a-4c3b-9a55-1f2f3f6b8e21',
    data: { fileList: [{ fileID: 'cloud://dev.files/reports/summary.txt', code: 'SUCCESS' }] },
  },
});

createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(BODY);
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
