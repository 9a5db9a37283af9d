// http-proxy-middleware in Express 5, with keep-alive connections.
import { Agent } from 'node:http';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';

const [, , port, target = ''] = process.argv;

express()
  .use(
    '/v1/cloudrun/hello',
    createProxyMiddleware({ target, agent: new Agent({ keepAlive: true }) } as never),
  )
  .listen(Number(port), '127.0.0.1');
