// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from 'vite';
import { inlineIntoPage } from './inline-page';

export default defineConfig({
  publicDir: false,
  plugins: [inlineIntoPage()],
  build: { target: 'es2022', cssCodeSplit: false, modulePreload: false, assetsInlineLimit: 1 << 20 },
});
