// Uploads one file from disk with the client, and prints the duration in seconds and the peak memory.
// Arguments: server URL, file.
import { createStorageClient } from '@berth/client';

const [, , baseUrl = '', file = ''] = process.argv;
const credentials = { authorization: '1.0 a', timestamp: '1700000000' };
const storage = createStorageClient({ baseUrl, envId: 'dev', credentials });
const start = performance.now();
await storage.upload('a/file.bin', { file });
const seconds = (performance.now() - start) / 1000;
const maxRss = process.resourceUsage().maxRSS * 1024;
process.stdout.write(JSON.stringify({ seconds, maxRss }));
process.exit();
