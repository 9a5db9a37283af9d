// src/App.tsx
import { createGatewayQueries, createStorageQueries, useUpload } from '@berth/client/react-query';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { gateway, storage } from './clients.ts';

const hello = createGatewayQueries(gateway).service('hello');
const files = createStorageQueries(storage);

function Report() {
  const greeting = useQuery(hello.get<{ message: string }>());
  const upload = useUpload(storage);
  const fileID = upload.data?.fileID ?? '';
  const link = useQuery({ ...files.tempUrl(fileID), enabled: fileID !== '' });

  if (greeting.error) return <p>{greeting.error.message}</p>;
  return (
    <main>
      <h1>{greeting.data?.message}</h1>
      <button type="button" onClick={() => upload.mutate({ path: 'report.txt', data: 'Sold: 12' })}>
        Upload
      </button>
      {link.data && <a href={link.data}>report.txt</a>}
    </main>
  );
}

const queries = new QueryClient();

export default function App() {
  return (
    <QueryClientProvider client={queries}>
      <Report />
    </QueryClientProvider>
  );
}
