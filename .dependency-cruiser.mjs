/**
 * The imports that `npm run lint` forbids. ARCHITECTURE.md explains these rules.
 */

/** The layers of each package, top to bottom. A layer imports nothing from those above it. */
const LAYERS = {
  'packages/client/src': [
    ...['cli', 'index|react-query|msw', 'create-storage-client|create-gateway-client'],
    ...['operations', 'platform|service', 'auth', 'internal', 'errors'],
    ...['call-options', 'wire-profile'],
  ],
  'packages/conformance/src': [
    ...[
      'index|cli',
      'create-conformance',
      'report',
      'run',
      'dredd',
      'respect',
      'checks',
      'context',
    ],
    ...['validation', 'credentials', 'options', 'result', 'contract', 'http'],
  ],
  'packages/mock/src': [
    ...['index', 'create-mock', 'cli', 'serve', 'create-application', 'control'],
    'surfaces',
    ...['context', 'options', 'services', 'session', 'files', 'faults', 'contract', 'typescript'],
    'util',
  ],
  'packages/server/src': [
    ...['index', 'cli', 'server', 'observe', 'gateway', 'shared', 'blobs', 'auth', 'config'],
  ],
  'packages/server-stubs/generator': [
    ...['cli', 'generate', 'modules', 'types|validators', 'operations', 'schema'],
    'document|load-document|names|files',
  ],
  'packages/storage/src': [
    'node',
    'index',
    'create-storage',
    'operations|download',
    'context',
    'batch|grants|memory-store',
    'paths|blob-store',
  ],
  'packages/server-stubs/src': [
    ...['index|auth|contract', 'gateway|storage|upload', 'errors', 'http', 'runtime'],
  ],
};

const TEST = '(\\.test(-d)?\\.ts|/test/.*)$';
const CODE = '^packages/[^/]+/(src|generator)/';

/** The other packages that a package may import. */
const PACKAGES = [
  { from: ['client', 'server-stubs', 'conformance'], to: [] },
  { from: ['storage'], to: ['server-stubs'] },
  { from: ['mock', 'server'], to: ['server-stubs', 'storage'] },
];

const between = PACKAGES.flatMap(({ from, to }) =>
  from.map((name) => ({
    name: `${name}-imports-no-other-package`,
    severity: 'error',
    from: { path: `^packages/${name}/(src|generator)/`, pathNot: TEST },
    to: { path: '^packages/', pathNot: `^packages/(${[name, ...to].join('|')})/` },
  })),
);

const upward = Object.entries(LAYERS).flatMap(([folder, layers]) =>
  layers.slice(1).map((layer, index) => ({
    name: `${folder.split('/')[1]}-${layer}-imports-nothing-above`,
    severity: 'error',
    from: { path: `^${folder}/(${layer})(/|\\.ts$)`, pathNot: TEST },
    to: { path: `^${folder}/(${layers.slice(0, index + 1).join('|')})(/|\\.ts$)` },
  })),
);

export default {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-test-in-code',
      severity: 'error',
      from: { path: CODE, pathNot: TEST },
      to: { path: TEST, pathNot: 'node_modules' },
    },
    ...between,
    ...upward,
  ],
  options: {
    // Type imports count too.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: {
      path: '(^|/)(node_modules|dist|\\.turbo|\\.cache)/',
    },
    enhancedResolveOptions: {
      conditionNames: ['berth-source', 'import', 'node'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.d.ts'],
    },
  },
};
