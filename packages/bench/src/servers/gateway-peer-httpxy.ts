// httpxy on node:http, with keep-alive connections.
import { Agent, createServer } from 'node:http';
import { createProxyServer } from 'httpxy';

const [, , port, target = ''] = process.argv;
const proxy = createProxyServer({ target, agent: new Agent({ keepAlive: true }) });

createServer((request, response) => {
  request.url = request.url?.slice('/v1/cloudrun/hello'.length) || '/';
  void proxy.web(request, response);
}).listen(Number(port), '127.0.0.1');
