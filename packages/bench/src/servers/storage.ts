// A deployment with fixed responses, so that only the cost of the client varies. It grants every upload and
// discards the content.
import { createServer } from 'node:http';

const port = Number(process.argv[2]);
const UPLOAD = '/upload';
const DELETED = toBody({ fileList: [{ fileID: 'cloud://dev.files/a.txt', code: 'SUCCESS' }] });
const GRANT = toBody({
  url: `http://127.0.0.1:${port}${UPLOAD}`,
  token: 'a token',
  authorization: 'a signature',
  fileID: 'cloud://dev.files/a/file.bin',
  storeFileID: 'a file id',
});

createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.url === UPLOAD) return response.writeHead(204).end();
    const body = request.url?.endsWith(':getUploadMetaData') ? GRANT : DELETED;
    return response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
}).listen(port, '127.0.0.1');

function toBody(data: object): string {
  const body = { requestId: '5d1f8c1e-7f0a-4c3b-9a55-1f2f3f6b8e21', data };
  return JSON.stringify({ statusCode: 200, body });
}
