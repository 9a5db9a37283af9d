// #region start
import { createStorageClient } from '@berth/client';

const storage = createStorageClient({
  baseUrl: 'http://127.0.0.1:4010',
  envId: 'dev',
  credentials: { authorization: '1.0 any', timestamp: '1700000000' },
});

const { fileID } = await storage.upload('reports/may.html', '<h1>May</h1>', {
  contentType: 'text/html',
  onProgress: ({ loaded, total }) => console.log(loaded, total), // bytes
});
const link = await storage.tempUrl(fileID, { maxAge: 600 }); // works for 600 seconds
console.log(await (await fetch(link)).text());

const part = await storage.download(fileID, { range: { offset: 4, length: 3 } });
console.log(await part.text()); // May
// #endregion

// #region large
import { stat, writeFile } from 'node:fs/promises';

await writeFile('a.bin', new Uint8Array(5_000_000));
const backup = await storage.upload('backup/a.bin', { file: 'a.bin' });
await storage.downloadToFile(backup.fileID, 'b.bin'); // never leaves a partial file
console.log((await stat('b.bin')).size);
// #endregion

// #region many
const results = await storage.delete([fileID, `${fileID}.missing`]);
for (const { error } of results) console.log(error ? error.message : 'deleted');
// #endregion
