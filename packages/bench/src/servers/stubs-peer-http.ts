// Plain node:http, with the same JSON work and no checks.
import { createServer } from 'node:http';
import { deleteAll, portOf, toEnvelope } from './stubs-handler.ts';

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { fileList } = JSON.parse(Buffer.concat(chunks).toString());
    const body = JSON.stringify(toEnvelope(deleteAll(fileList)));
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    response.writeHead(200, headers).end(body);
  });
}).listen(portOf(), '127.0.0.1');
