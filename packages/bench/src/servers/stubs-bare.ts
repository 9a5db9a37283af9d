// Our router as a node:http listener.
import { createServer } from 'node:http';
import { portOf } from './stubs-handler.ts';
import { router } from './stubs-router.ts';

createServer(router).listen(portOf(), '127.0.0.1');
