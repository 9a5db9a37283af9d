import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };

type ByName<T> = Record<string, T>;

interface Operation {
  responses: ByName<unknown>;
}

/**
 * Returns a copy of the document of the gateway in which hosted services only return JSON: Specmatic would expect
 * each documented content type in turn, but the service does not know which one.
 */
export function toGatewayDocument(): object {
  const { components } = gateway;
  const { responses } = components;
  const { content } = responses.ServiceResponse;
  const json = { 'application/json': content['application/json'] };
  const ServiceResponse = { ...responses.ServiceResponse, content: json };
  return {
    ...gateway,
    components: { ...components, responses: { ...responses, ServiceResponse } },
  };
}

/**
 * Returns a copy of the document of the storage API in which each range of statuses is written out, and the
 * environment is part of the paths. The upload is left out, because its form needs the response to an earlier
 * call.
 */
export function toStorageDocument(env: string): object {
  const paths = Object.entries(storage.paths).filter(([path]) => path !== '/');
  return {
    ...storage,
    paths: Object.fromEntries(
      paths.map(([path, { post }]) => [path.replace('{envId}', env), { post: writeOut(post) }]),
    ),
  };
}

const STATUSES = new Set(defaults.storageErrors.map(({ status }) => String(status)));

/** Replaces ranges of statuses, such as `4XX`, by the statuses of the error table. */
function writeOut(operation: Operation): Operation {
  const responses = Object.entries(operation.responses).flatMap(([key, response]) => {
    const isRange = key.endsWith('XX');
    const own = isRange ? [...STATUSES].filter((status) => status[0] === key[0]) : [key];
    return own.map((status) => [status, response]);
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}
