import { createServer } from 'node:http';
import { createRouter } from './generated/index.gen.ts';
import { handlers } from './handlers/index.gen.ts';

createServer(createRouter(handlers)).listen(8080, () => console.log('listening on port 8080'));
