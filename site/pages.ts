/** A page of the site: where it stands there, its title, and the Markdown file that it is made of. */
export interface Page {
  readonly path: string
  readonly title: string
  readonly source: string
  /** Set if the page is a quickstart, which has only these sections of the file. */
  readonly sections?: readonly string[]
}

export interface Section {
  readonly title: string
  readonly pages: readonly Page[]
}

const page = (path: string, title: string, source: string): Page => ({ path, title, source })
const guide = (name: string, title: string): Page => page(`guides/${name}`, title, `docs/${name}.md`)
const framework = (name: string, title: string): Page =>
  page(`frameworks/${name}`, title, `packages/adapters/${name}/README.md`)
const backend = (name: string, title: string): Page =>
  page(`backends/${name}`, title, `packages/storage/${name}/README.md`)

const quickstart = (
  name: string,
  title: string,
  source: string,
  sections: readonly string[] = ['Install', 'First example'],
): Page => ({ path: `start/${name}`, title, source: `packages/${source}/README.md`, sections })

/** All pages in the order of the navigation, apart from those of the API and of single errors, benchmarks and decisions. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'Start',
    pages: [
      page('start', 'Start', 'README.md'),
      page('start/quickstart', 'Quickstart', 'docs/quickstart.md'),
      quickstart('ai-sdk', 'Vercel AI SDK', 'adapters/ai-sdk'),
      quickstart('langchain', 'LangChain', 'adapters/langchain'),
      quickstart('deepagents', 'deepagents', 'adapters/langchain', ['deepagents']),
      quickstart('mastra', 'Mastra', 'adapters/mastra'),
      quickstart('openai-agents', 'OpenAI Agents SDK', 'adapters/openai-agents'),
      quickstart('anthropic', 'Anthropic SDK', 'adapters/anthropic'),
      quickstart('claude-agent-sdk', 'Claude Agent SDK', 'adapters/claude-agent-sdk'),
      quickstart('google-adk', 'Google ADK', 'adapters/google-adk'),
      quickstart('genkit', 'Genkit', 'adapters/genkit'),
      quickstart('strands', 'Strands Agents', 'adapters/strands'),
      quickstart('voltagent', 'VoltAgent', 'adapters/voltagent'),
      quickstart('mcp', 'MCP', 'adapters/mcp'),
      quickstart('shell', 'A shell', 'cli'),
      quickstart('http', 'HTTP', 'server'),
      quickstart('own-loop', 'A loop of your own', 'core'),
    ],
  },
  {
    title: 'Concepts',
    pages: [
      page('concepts/how-it-works', 'How it works', 'docs/how-it-works.md'),
      page('concepts/glossary', 'Glossary', 'docs/glossary.md'),
      page('concepts/previews', 'Previews', 'docs/previews.md'),
      page('concepts/retrieval', 'Retrieval', 'docs/retrieval.md'),
      page('concepts/history', 'Histories', 'docs/history.md'),
      page('concepts/trade-offs', 'Trade-offs', 'docs/trade-offs.md'),
    ],
  },
  {
    title: 'Frameworks',
    pages: [
      page('frameworks', 'All adapters', 'docs/adapters.md'),
      page('frameworks/features', 'What each adapter can do', 'docs/adapter-features.md'),
      framework('ai-sdk', 'Vercel AI SDK'),
      framework('langchain', 'LangChain'),
      framework('mastra', 'Mastra'),
      framework('openai-agents', 'OpenAI Agents SDK'),
      framework('anthropic', 'Anthropic SDK'),
      framework('claude-agent-sdk', 'Claude Agent SDK'),
      framework('google-adk', 'Google ADK'),
      framework('genkit', 'Genkit'),
      framework('strands', 'Strands Agents'),
      framework('voltagent', 'VoltAgent'),
      framework('mcp', 'MCP'),
      page('frameworks/cloudflare-agents', 'Cloudflare agents', 'docs/cloudflare-agents.md'),
      page('frameworks/llamaindex', 'LlamaIndex.TS', 'docs/recipes/llamaindex.md'),
      page('frameworks/langgraph-postgres', 'LangGraph with PostgreSQL', 'docs/recipes/langgraph-postgres.md'),
    ],
  },
  {
    title: 'Hosts, shell, and HTTP',
    pages: [
      page('hosts', 'All hosts', 'docs/hosts/README.md'),
      page('hosts/claude-code', 'Claude Code', 'docs/hosts/claude-code.md'),
      page('hosts/codex', 'Codex', 'docs/hosts/codex.md'),
      page('hosts/gemini-cli', 'Gemini CLI', 'docs/hosts/gemini-cli.md'),
      page('hosts/opencode', 'OpenCode', 'docs/hosts/opencode.md'),
      page('hosts/cursor', 'Cursor', 'docs/hosts/cursor.md'),
      page('hosts/vscode', 'VS Code', 'docs/hosts/vscode.md'),
      page('hosts/command-line', 'Command line', 'packages/cli/README.md'),
      page('hosts/http', 'HTTP service', 'packages/server/README.md'),
      page('hosts/inspector', 'Inspector', 'packages/inspector/README.md'),
    ],
  },
  {
    title: 'Backends',
    pages: [
      page('backends', 'Choosing a backend', 'docs/choosing-a-backend.md'),
      backend('memory', 'Memory'),
      backend('file', 'Files'),
      backend('sqlite', 'SQLite'),
      backend('redis', 'Redis'),
      backend('postgres', 'PostgreSQL'),
      backend('s3', 'S3'),
    ],
  },
  {
    title: 'Guides',
    pages: [
      guide('tuning-limits', 'Tuning limits'),
      guide('production-controls', 'Production controls'),
      guide('observability', 'Observability'),
      guide('multi-tenant', 'Many tenants'),
      guide('several-processes', 'Several processes and machines'),
      guide('redaction', 'Redaction'),
      guide('compression-and-encryption', 'Compression and encryption'),
      guide('retention', 'Retention'),
      guide('operating-a-store', 'Operating a store'),
      guide('testing-your-own-backend', 'Testing your own backend'),
      guide('testing-your-own-adapter', 'Testing your own adapter'),
      guide('migrating-from-strands', 'Moving from Strands'),
      guide('migrating-from-reme', 'Moving from ReMe'),
      guide('migrating-from-context-editing', 'Moving from context editing'),
      guide('migrating-from-head-and-tail', 'Moving from head and tail'),
      guide('troubleshooting', 'Troubleshooting'),
      guide('comparison', 'Comparison'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page('reference/core', 'Options', 'packages/core/README.md'),
      page('reference/configuration', 'Configuration', 'docs/configuration.md'),
      page('reference/commands', 'Commands', 'packages/cli/src/cli.ts'),
      page('reference/events', 'Events', 'packages/core/src/offload/context-offloader-options.ts'),
      page('reference/telemetry-names', 'Telemetry names', 'docs/telemetry-names.md'),
      page('reference/http-api', 'HTTP API', 'docs/http-api.md'),
      page('reference/history', 'History', 'packages/history/README.md'),
      page('reference/benchmarks', 'Benchmarks', 'docs/benchmarks.md'),
      page('errors', 'Errors', 'docs/errors.md'),
      page('security', 'Security', 'SECURITY.md'),
    ],
  },
]
