// httpxy in front of the hosted service, with keep-alive connections, without authentication or header
// rules. Arguments: port, hosted service URL.
import { Agent, createServer } from 'node:http';
import { createProxyServer } from 'httpxy';

const PREFIX = '/v1/cloudrun/hello';

const [, , port, target = ''] = process.argv;
const proxy = createProxyServer({ target, agent: new Agent({ keepAlive: true }) });
createServer((request, response) => {
  request.url = request.url?.slice(PREFIX.length) || '/';
  void proxy.web(request, response);
}).listen(Number(port), '127.0.0.1');
