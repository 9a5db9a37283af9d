import { createGatewayQueries, createStorageQueries, useUpload } from '@berth/client/react-query';
import { useQuery } from '@tanstack/react-query';
import { gateway, storage } from './clients.ts';

const users = createGatewayQueries(gateway).service('users');
const files = createStorageQueries(storage);

export function Profile({ id }: { id: string }) {
  const user = useQuery(users.get<{ name: string; pictureID: string }>(id));
  const pictureID = user.data?.pictureID ?? '';
  const picture = useQuery({ ...files.tempUrl(pictureID), enabled: pictureID !== '' });
  const upload = useUpload(storage, { onSuccess: () => user.refetch() });

  if (user.error) return <p>{user.error.message}</p>; // a GatewayError, NetworkError, …
  const choose = (data?: File) => data && upload.mutate({ path: `pictures/${id}.png`, data });
  return (
    <section>
      <h1>{user.data?.name}</h1>
      <img src={picture.data} alt="" />
      <input type="file" onChange={({ target }) => choose(target.files?.[0])} />
      {upload.progress && <progress value={upload.progress.loaded} max={upload.progress.total} />}
    </section>
  );
}
