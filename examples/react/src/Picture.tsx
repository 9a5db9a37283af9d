import { linkQuery, serviceQuery, useUpload } from '@berth/client/react-query';
import { useQuery } from '@tanstack/react-query';
import { gateway, storage } from './clients.ts'; // createGatewayClient(…), createStorageClient(…)

const users = gateway.service('users');

export function Picture({ id, fileID }: { id: string; fileID: string }) {
  const user = useQuery(serviceQuery<{ name: string }>(users, id));
  const picture = useQuery(linkQuery(storage, fileID)); // renewed before the link expires
  const upload = useUpload(storage); // a mutation with progress and abort()

  if (user.error) return <p>{user.error.message}</p>; // a BerthError
  const send = () => upload.mutate({ path: `pictures/${id}.txt`, data: 'Hello' });
  return <img src={picture.data} alt={user.data?.name} onClick={send} />;
}
