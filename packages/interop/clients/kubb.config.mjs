import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

const documents = JSON.parse(process.env.KUBB_DOCUMENTS);

export default defineConfig(
  Object.entries(documents).map(([name, path]) => ({
    name,
    root: '.',
    input: { path },
    output: { path: `${process.env.KUBB_FOLDER}/${name}`, clean: true, format: false, lint: false },
    plugins: [
      pluginOas({ generators: [] }),
      pluginTs({ output: { path: 'types' } }),
      pluginClient({ output: { path: 'client' }, client: 'fetch', bundle: true }),
    ],
  })),
);
