// SPDX-License-Identifier: Apache-2.0
// Puts the script and the style sheet into the page itself, so that the build is one file which
// works from disk, over loopback and embedded in a tool. Written out here because it is shorter
// than a dependency and because the place of the script matters: after the data that it reads.
import type { Plugin } from 'vite';

export function inlineIntoPage(): Plugin {
  return {
    name: 'inline-into-page',
    enforce: 'post',
    apply: 'build',
    generateBundle(_options, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('inline-into-page: the build made no index.html');
      let html = String(page.source);
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === 'chunk') {
          html = replaceTag(html, /<script[^>]*src="[^"]*"[^>]*><\/script>/, '');
          // The parser would end the element at a closing tag inside a string of the script.
          const code = file.code.replace(/<\/script/gi, '<\\/script');
          html = replaceTag(html, /<\/body>/, `<script type="module">${code}</script>\n</body>`);
        } else if (name.endsWith('.css')) {
          html = replaceTag(html, /<link[^>]*rel="stylesheet"[^>]*>/, `<style>${String(file.source)}</style>`);
        } else continue;
        delete bundle[name];
      }
      page.source = html;
    },
  };
}

function replaceTag(html: string, tag: RegExp, replacement: string): string {
  if (!tag.test(html)) throw new Error(`inline-into-page: no ${tag} in index.html`);
  return html.replace(tag, () => replacement);
}
