import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type DefaultTheme } from 'vitepress'

const ROOT = join(import.meta.dirname, '../..')
const sidebar = JSON.parse(
  readFileSync(join(import.meta.dirname, '../pages/sidebar.json'), 'utf8'),
) as DefaultTheme.SidebarItem[]

export default defineConfig({
  title: 'Spillway',
  description: 'Keep large tool results out of the context window of an AI agent, and lose nothing.',
  srcDir: 'pages',
  srcExclude: ['public/**'],
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  lastUpdated: false,
  markdown: {
    anchor: { slugify: githubSlug },
    html: false,
    config: (md) => {
      // A header cell without text is no header.
      md.core.ruler.push('empty-headers', ({ tokens }) => {
        for (const [index, { type }] of tokens.entries())
          if (type === 'th_open' && tokens[index + 1]?.content === '')
            tokens[index]!.tag = tokens[index + 2]!.tag = 'td'
      })
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Playground', link: '/playground' },
      { text: 'API', link: '/api/core' },
      { text: 'llms.txt', link: '/llms.txt', target: '_blank' },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: 'https://github.com/spillway-js/spillway' }],
  },
  // The playground runs the built packages, as a user's page would.
  vite: {
    esbuild: { tsconfigRaw: '{}' },
    worker: { format: 'es' },
    optimizeDeps: { exclude: ['@sqlite.org/sqlite-wasm'] },
    resolve: { alias: ['core', 'text', 'previews', 'storage/memory'].flatMap(aliasesOf) },
  },
})

interface Manifest {
  readonly name: string
  readonly publishConfig: { readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>> }
}

function aliasesOf(folder: string): { find: RegExp; replacement: string }[] {
  const path = join(ROOT, 'packages', folder)
  const { name, publishConfig } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest
  return Object.entries(publishConfig.exports).flatMap(([entry, target]) => {
    const file = typeof target === 'string' ? target : (target['browser'] ?? target['default'])
    if (file === undefined) return []
    return [{ find: new RegExp(`^${name}${entry.slice(1)}$`), replacement: join(path, file) }]
  })
}

/** Anchors as GitHub makes them, so that links hold in both places. */
function githubSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}
