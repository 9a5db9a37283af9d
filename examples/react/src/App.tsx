// src/App.tsx
import { linkQuery, serviceQuery, useUpload } from '@berth/client/react-query';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { gateway, storage } from './clients.ts';

const hello = gateway.service('hello');

function Report() {
  const greeting = useQuery(serviceQuery<{ message: string }>(hello));
  const upload = useUpload(storage);
  const fileID = upload.data?.fileID ?? '';
  const link = useQuery({ ...linkQuery(storage, fileID), enabled: fileID !== '' });

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
