import { gateway, storage } from './clients.ts';

export async function publishReport(month: string): Promise<string> {
  const html = await gateway.service('reports').post<string>('render', { month });
  const { fileID } = await storage.upload(`reports/${month}.html`, html, {
    contentType: 'text/html',
  });
  return storage.tempUrl(fileID);
}
