import { withBase } from '@rspress/core/runtime';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { connect } from './connect.ts';
import { type Exchange, send } from './exchange.ts';
import { Code, Form } from './form.tsx';
import { OPERATIONS, type Operation } from './operations.ts';
import { Program } from './program.tsx';
import { type Draft, toRequest } from './request.ts';
import { Result } from './result.tsx';
import './playground.css';

type Drafts = Readonly<Record<string, Draft>>;

/** What to do after an operation. */
const NEXT: Readonly<Record<string, string>> = {
  getUploadMetaData: 'uploadFile',
  uploadFile: 'batchGetTempUrls',
};

const folder = withBase('/playground/');

/** The playground: a form for each operation, and the response of the worker. */
export default function Playground() {
  const [id, setId] = useState(OPERATIONS[0]?.id);
  const [drafts, setDrafts] = useState<Drafts>({});
  const [exchange, setExchange] = useState<Exchange>();
  const [baseUrl, setBaseUrl] = useState('');
  const [failure, setFailure] = useState('');
  const running = useRef<AbortController>(undefined);
  const operation = OPERATIONS.find((one) => one.id === id) ?? (OPERATIONS[0] as Operation);
  const draft = drafts[operation.id] ?? toDraft(operation);

  useEffect(() => {
    connect(folder).then(setBaseUrl, ({ message }) => setFailure(message));
    const follow = () => {
      running.current?.abort();
      setExchange(undefined);
      setId((current) => location.hash.slice(1) || current);
    };
    follow();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);

  const choose = (chosen: string) => {
    location.hash = chosen;
  };

  const edit = (change: Partial<Draft>) =>
    setDrafts({ ...drafts, [operation.id]: { ...draft, ...change } });

  async function call(called: Operation, entered: Draft): Promise<void> {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const request = toRequest(called, entered, baseUrl);
    const show = (one: Exchange) => {
      if (running.current === controller) setExchange(one);
    };
    const { status, body, state } = await send(request, controller.signal, show);
    if (status !== 200 || state !== 'done' || called.id !== 'getUploadMetaData') return;
    setDrafts((all) => withGrant(all, entered, body));
  }

  const submit = (event: FormEvent) => {
    event.preventDefault();
    void call(operation, draft);
  };
  const next = OPERATIONS.find((one) => one.id === NEXT[operation.id]);
  const program = new URLSearchParams(location.search).get('run');
  if (program) return <Program {...{ name: program, folder, baseUrl }} />;
  return (
    <div className="berth-playground">
      <Form
        {...{ operation, draft, choose, edit, submit }}
        isReady={baseUrl !== ''}
        stop={exchange?.state === 'running' ? () => running.current?.abort() : undefined}
      />
      <Result {...{ exchange, baseUrl }}>
        {failure && <p className="berth-playground__failure">{failure}</p>}
        {next && exchange?.state === 'done' && (exchange.status ?? 500) < 300 && (
          <button type="button" onClick={() => choose(next.id)}>
            Next: {next.id}
          </button>
        )}
      </Result>
      <Code operation={operation} draft={draft} />
    </div>
  );
}

function toDraft({ fields, body = '' }: Operation): Draft {
  return { values: Object.fromEntries(fields.map(({ name, value }) => [name, value])), body };
}

/** Fills in the form of the upload, and the ID of the file in the calls that follow. */
function withGrant(drafts: Drafts, { body: asked }: Draft, response: string): Drafts {
  const { data } = JSON.parse(response).body;
  const { path: key } = JSON.parse(asked).data ?? JSON.parse(asked);
  const filled = OPERATIONS.map((operation): [string, Draft] => {
    const draft = drafts[operation.id] ?? toDraft(operation);
    const values =
      operation.surface === 'upload'
        ? {
            ...draft.values,
            Signature: data.authorization,
            'x-store-security-token': data.token,
            'x-store-meta-fileid': data.storeFileID,
            key,
          }
        : draft.values;
    return [
      operation.id,
      { ...draft, values, body: draft.body.replace(/cloud:[^"]+/, data.fileID) },
    ];
  });
  return Object.fromEntries(filled);
}
