import { createGatewayQueries, createStorageQueries, useUpload } from '@berth/client/react-query';
import { useQuery } from '@tanstack/react-query';
import { gateway, storage } from './clients.ts';

const users = createGatewayQueries(gateway).service('users');
const files = createStorageQueries(storage);

export function Picture({ id, fileID }: { id: string; fileID: string }) {
  const user = useQuery(users.get<{ name: string }>(id));
  const picture = useQuery(files.tempUrl(fileID)); // renewed before the link expires
  const upload = useUpload(storage); // a mutation with progress and abort()

  if (user.error) return <p>{user.error.message}</p>; // a GatewayError, NetworkError, …
  const send = () => upload.mutate({ path: `pictures/${id}.txt`, data: 'Hello' });
  return <img src={picture.data} alt={user.data?.name} onClick={send} />;
}
