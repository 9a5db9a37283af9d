// biome-ignore-all lint/suspicious/noExplicitAny: reads every corner of a document
import { type Document, listOperations, type Operation, resolve } from './read-document.ts';

/**
 * Describes the WebSockets and event streams of the gateway in an AsyncAPI 3 document. It describes the side
 * of the gateway, which `send`s what the hosted service sends.
 *
 * @param document the gateway in OpenAPI 3.2, since 3.1 does not describe single events
 */
export function toAsyncApi(document: Document) {
  const { info, servers, components } = document;
  const { title, version, license } = info;
  const [{ url, description, variables }] = servers;
  const security = toSecurity(document);
  const host = url.replace(/^https:\/\//, '');
  const operations = listOperations(document);
  const sockets = operations.filter(({ operation }) => operation['x-berth-websocket']);
  const streams = operations.filter((found) => findEvent(document, found.operation));
  return {
    asyncapi: '3.0.0',
    info: {
      title: `${title}: WebSockets and event streams`,
      version,
      description:
        'Connections that pass through the gateway to a hosted service. The calls themselves are in the OpenAPI document.\n',
      license: { name: license.name },
    },
    defaultContentType: 'text/plain',
    servers: {
      webSockets: { host, protocol: 'wss', description, variables, security },
      events: { host, protocol: 'https', description, variables, security },
    },
    channels: Object.fromEntries([
      ...sockets.map((found) => [
        `${found.id}.socket`,
        toChannel(found, 'webSockets', ['text', 'binary'], {
          ws: { method: 'GET', bindingVersion: '0.1.0' },
        }),
      ]),
      ...streams.map((found) => [`${found.id}.events`, toChannel(found, 'events', ['event'])]),
    ]),
    operations: Object.fromEntries([
      ...sockets.flatMap(({ id: name }) => [
        [`${name}.receive`, toOperation('receive', `${name}.socket`, ['text', 'binary'])],
        [`${name}.send`, toOperation('send', `${name}.socket`, ['text', 'binary'])],
      ]),
      ...streams.map(({ id: name, method }) => [
        `${name}.events`,
        toOperation('send', `${name}.events`, ['event'], {
          http: { method: method.toUpperCase(), bindingVersion: '0.3.0' },
        }),
      ]),
    ]),
    components: {
      messages: {
        text: {
          title: 'Text message',
          summary: 'A text message of a WebSocket, forwarded unchanged.',
          payload: { type: 'string', examples: ['hello'] },
        },
        binary: {
          title: 'Binary message',
          summary: 'A binary message of a WebSocket, forwarded unchanged.',
          contentType: 'application/octet-stream',
          payload: { type: 'string', contentMediaType: 'application/octet-stream' },
        },
        event: {
          title: 'Event',
          summary: 'An event of a stream (text/event-stream), forwarded as soon as it arrives.',
          contentType: 'text/event-stream',
          payload: findEvent(document, streams[0]?.operation),
        },
      },
      parameters: Object.fromEntries(
        Object.values<any>(components.parameters)
          .filter((parameter) => parameter.in === 'path')
          .map(({ name, description, example }) => [name, { description, examples: [example] }]),
      ),
      securitySchemes: Object.fromEntries(
        Object.entries<any>(components.securitySchemes).map(([name, scheme]) => [
          name,
          scheme.type === 'apiKey' ? { ...scheme, type: 'httpApiKey' } : scheme,
        ]),
      ),
    },
  };
}

/** Finds the schema of the events that an operation may respond with. */
function findEvent(document: Document, operation: any): object | undefined {
  const ok = resolve(document, operation?.responses['200']);
  return resolve(document, ok?.content['text/event-stream']?.itemSchema);
}

/** Alternatives, as in OpenAPI; each scheme of the gateway is sufficient on its own. */
function toSecurity({ security }: Document) {
  return security.flatMap(Object.keys).map((name: string) => ({
    $ref: `#/components/securitySchemes/${name}`,
  }));
}

function toChannel(
  { path, operation }: Operation,
  server: string,
  messages: string[],
  bindings?: object,
) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return {
    address: path,
    summary: operation.summary,
    description: operation.description,
    servers: [{ $ref: `#/servers/${server}` }],
    parameters: Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/parameters/${name}` }]),
    ),
    messages: Object.fromEntries(
      messages.map((name) => [name, { $ref: `#/components/messages/${name}` }]),
    ),
    ...(bindings && { bindings }),
  };
}

function toOperation(action: string, channel: string, messages: string[], bindings?: object) {
  return {
    action,
    channel: { $ref: `#/channels/${channel}` },
    summary: `${action === 'send' ? 'Messages of the hosted service' : 'Messages of the caller'}.`,
    messages: messages.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
    ...(bindings && { bindings }),
  };
}
