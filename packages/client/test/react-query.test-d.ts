import {
  type BerthError,
  createGatewayClient,
  createStorageClient,
  isBerthError,
} from '@berth/client';
import { linkQuery, linksQuery, serviceQuery } from '@berth/client/react-query';
import { QueryClient, useQueries, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { expectTypeOf, it } from 'vitest';
import * as z from 'zod';

interface User {
  name: string;
}

const baseUrl = 'http://127.0.0.1';
const gateway = createGatewayClient({ baseUrl });
const users = gateway.service('users');
const credentials = { authorization: 'a', timestamp: 1 };
const storage = createStorageClient({ baseUrl, envId: 'dev', credentials });

it('the query of a service is accepted wherever query options are', () => {
  void (async () => {
    const query = serviceQuery<User>(users, '7');
    const { data, error } = useQuery(query);
    expectTypeOf(data).toEqualTypeOf<User | undefined>();
    expectTypeOf(error).toEqualTypeOf<BerthError | null>();
    if (isBerthError(error, 'gateway')) expectTypeOf(error.status).toEqualTypeOf<number>();
    const schema = z.object({ id: z.number() });
    const parsed = useSuspenseQuery(serviceQuery(users, '7', { schema }));
    expectTypeOf(parsed.data).toEqualTypeOf<{ id: number }>();
    const client = new QueryClient();
    expectTypeOf(await client.fetchQuery(query)).toEqualTypeOf<User>();
    expectTypeOf(client.getQueryData(query.queryKey)).toEqualTypeOf<User | undefined>();
    const [user, link] = useQueries({ queries: [query, linkQuery(storage, 'a')] });
    expectTypeOf<User>().toExtend<typeof user.data>();
    expectTypeOf<string>().toExtend<typeof link.data>();
    const name = useQuery({ ...query, select: (found) => found.name, enabled: true });
    expectTypeOf(name.data).toEqualTypeOf<string | undefined>();
    // @ts-expect-error: headers are those of the client, because they would have to be part of the key
    serviceQuery(users, '7', { headers: {} });
  });
});

it('links have a url or an error', () => {
  void (() => {
    const [link] = useSuspenseQuery(linksQuery(storage, ['a'])).data;
    if (link && !link.error) expectTypeOf(link.url).toEqualTypeOf<string>();
  });
});
