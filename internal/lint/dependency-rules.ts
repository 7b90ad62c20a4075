/** The dependency rules of the workspace as data, and one function that applies them. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { packageName } from '../peers/package-name.ts'

/** Packages that run in any JavaScript runtime, each with the packages of Spillway that it may import. */
const BASE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'packages/text': [],
  'packages/previews': ['@spillway/text'],
  'packages/core': ['@spillway/text', '@spillway/previews'],
  'packages/history': ['@spillway/text', '@spillway/previews', '@spillway/core'],
}

/** Folders of a package's `src`, each with the other folders that its sources may import. */
const LAYERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'packages/text': {
    shared: [],
    tokens: ['shared', 'platform'],
    platform: ['shared'],
    engines: ['shared', 'platform'],
    lines: ['shared', 'platform', 'tokens'],
    types: ['lines'],
    json: ['shared', 'platform', 'types'],
    'json-path': ['json', 'patterns', 'shared'],
    patterns: ['shared', 'platform', 'engines', 'lines'],
    tables: ['shared', 'platform', 'types', 'lines', 'json'],
    query: ['shared', 'platform'],
  },
  'packages/previews': {
    detect: [],
    layout: [],
    media: [],
    log: ['layout'],
    diff: ['layout'],
    json: ['layout', 'log'],
    listing: ['layout'],
    markdown: ['layout'],
    markup: ['layout'],
    prose: ['layout', 'markdown'],
    source: ['detect', 'layout'],
    table: ['layout'],
    code: ['source'],
    html: ['layout', 'markup'],
    image: ['media'],
    pdf: ['layout', 'media'],
  },
  'packages/core': {
    storage: [],
    content: ['storage'],
    journal: ['storage'],
    maintenance: ['storage'],
    driver: ['storage', 'journal'],
    wrappers: ['storage', 'driver'],
    search: ['storage', 'content'],
    retrieval: ['storage', 'content', 'journal', 'search'],
    redaction: [],
    session: ['storage', 'content'],
    offload: ['storage', 'content', 'journal', 'retrieval', 'redaction', 'session'],
    adapter: ['storage', 'content', 'offload', 'session'],
    files: ['storage', 'content', 'search'],
    http: [],
    telemetry: ['storage', 'offload'],
    conformance: ['storage', 'maintenance'],
  },
  'packages/history': {
    formats: [],
    measure: [],
    archive: [],
    compact: ['archive', 'measure'],
    compress: ['archive', 'compact', 'measure'],
    compactor: ['archive', 'compact', 'compress', 'formats', 'measure'],
  },
}

/** Folders with a separate entry, such as `@spillway/core/files`. The index does not export their names. */
const OWN_ENTRIES: Readonly<Record<string, readonly string[]>> = {
  'packages/previews': ['code', 'image', 'pdf'],
  'packages/core': ['adapter', 'conformance', 'driver', 'files', 'http', 'telemetry', 'wrappers'],
}
/** Files that only re-export names. */
const ENTRY_FILES = ['index.ts', 'internal.ts']
/** The only sources of these packages that may import `node:` modules, and so need Node.js. */
const NODE_FILES =
  /^packages\/(?:text\/src\/(?:platform|engines)\/node[\w-]*|core\/src\/conformance\/(?:node-test|vitest))\.ts$/
/**
 * Adapters run wherever their frameworks run, for example in workers. Only a proxy, which starts processes and serves
 * HTTP, and a hook of Claude Code, which reads files, need Node.js.
 */
const EDGE_ADAPTER = /^packages\/adapters\/(?!mcp\/src\/(?:http|proxy)\/|claude-agent-sdk\/src\/hook\/)/
/** Sources that may import optional peers: a test runner, OpenTelemetry, and libraries for one kind of content. */
const PEER_FILES =
  /^packages\/(?:core\/src\/(?:conformance\/vitest\.ts$|telemetry\/)|previews\/src\/(?:code|pdf|image)\/)/
/** The history of an adapter has a separate entry, because users install the history package separately. */
const ADAPTER_HISTORY = /^packages\/adapters\/[^/]+\/src\/history\//
const PACKAGE_FILE = /^packages\/(?:text|previews|core|history|cli|server|inspector|storage\/[^/]+|adapters\/[^/]+)\//
/** Files that are bundled into the package together with their imports. */
const BUNDLED = /^packages\/inspector\/src\/page\//
/** Files that count as tests. */
const TEST_FILE = /\.test(?:-d)?\.ts$|^packages\/(?:\w+\/)?[^/]+\/test\//

/** A file of the workspace. Its path is relative to the root, with slashes. */
interface SourceFile {
  readonly root: string
  readonly path: string
}

/**
 * Return the reason why `file` must not import `specifier`; `undefined` if it may.
 *
 * Sources follow every rule. Tests may also import Node.js, development dependencies, and any folder of their package.
 * But tests of core and below must not import a backend, and nothing may import the command line.
 */
export function refuseImport(file: SourceFile, specifier: string): string | undefined {
  const packageFolder = PACKAGE_FILE.exec(file.path)?.[0].slice(0, -1)
  if (packageFolder === undefined) return undefined
  const isTest = TEST_FILE.test(file.path)
  if (specifier.startsWith('.')) return refuseRelative(file.path, packageFolder, isTest, specifier)
  if (specifier.startsWith('#')) return isTest ? undefined : refuseLayer(file.path, packageFolder, specifier.slice(1))
  if (specifier.startsWith('node:')) {
    if (EDGE_ADAPTER.test(file.path) && !isTest)
      return 'This adapter runs wherever its framework does, also without Node.js.'
    return !(packageFolder in BASE_PACKAGES) || isTest || NODE_FILES.test(file.path)
      ? undefined
      : 'This package runs in any JavaScript runtime. Use `@spillway/text/internal`, in text `#platform`.'
  }
  return refusePackage(file, packageFolder, isTest, specifier)
}

function refuseRelative(path: string, packageFolder: string, isTest: boolean, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(path), specifier)
  if (!target.startsWith(`${packageFolder}/`)) return 'Import another package by its name, never by a relative path.'
  if (isTest || !(packageFolder in BASE_PACKAGES)) return undefined
  const [layer, file] = target.slice(`${packageFolder}/src/`.length).split('/')
  const isEntry = ENTRY_FILES.includes(posix.basename(target)) && !ENTRY_FILES.includes(posix.basename(path))
  if (isEntry && !path.startsWith(`${packageFolder}/src/${layer}/`))
    return 'Import the file that declares the name, not the index.'
  return layer === undefined || file === undefined ? undefined : refuseLayer(path, packageFolder, layer)
}

function refuseLayer(path: string, packageFolder: string, target: string): string | undefined {
  const [layer, file] = path.slice(`${packageFolder}/src/`.length).split('/')
  if (layer === undefined || file === undefined) {
    return layer === 'index.ts' && OWN_ENTRIES[packageFolder]?.includes(target)
      ? `\`${target}\` has entry points of its own: the index leaves it out.`
      : undefined
  }
  const allowed = LAYERS[packageFolder]?.[layer]
  if (allowed === undefined) return `Add \`${layer}\` to LAYERS in internal/lint/dependency-rules.ts.`
  if (target === layer || allowed.includes(target)) return undefined
  const list = allowed.length === 0 ? 'no other folder' : `only ${allowed.map((name) => `\`${name}\``).join(', ')}`
  return `\`${layer}\` may import ${list}: not \`${target}\`.`
}

function refusePackage(
  file: SourceFile,
  packageFolder: string,
  isTest: boolean,
  specifier: string,
): string | undefined {
  const name = packageName(specifier)
  if (name === '@spillway/cli') return 'Nothing may import the command line.'
  const manifest = readManifest(join(file.root, packageFolder))
  const isOwn = name.startsWith('@spillway/')
  const below = BASE_PACKAGES[packageFolder]
  if (isOwn && below === undefined && /^[^/]+\/[^/]+\/internal(?:\/|$)/.test(specifier))
    return 'An `/internal` entry may change in any version: only text, previews, core and history use it.'
  if (isOwn && below !== undefined && !below.includes(name) && !(isTest && packageFolder === 'packages/history'))
    return `This package may import ${below.length === 0 ? 'no other package of Spillway' : `only ${below.join(', ')}`}; tests of core and below use a storage of their own.`
  if (isTest) {
    const known = [manifest, readManifest(file.root)].some((one) => name in { ...one.runtime, ...one.development })
    return known || name === manifest.name ? undefined : `Declare \`${name}\` in ${packageFolder}/package.json.`
  }
  if (isOwn && below === undefined && packageFolder !== 'packages/cli' && name !== '@spillway/core') {
    const isOfInspector = packageFolder === 'packages/inspector' && name === '@spillway/server'
    if (
      !isOfInspector &&
      (name !== '@spillway/history' || !(packageFolder === 'packages/server' || ADAPTER_HISTORY.test(file.path)))
    )
      return 'Backends, adapters and the server import @spillway/core and their own libraries; @spillway/server is for the inspector, and @spillway/history for the server and for the `history` folder of an adapter.'
  }
  if (below !== undefined && name in manifest.peers && !isOwn && !PEER_FILES.test(file.path))
    return `${name} is an optional peer: only the entry points that need it may import it.`
  return name in manifest.runtime || (BUNDLED.test(file.path) && name in manifest.development)
    ? undefined
    : `Declare \`${name}\` under dependencies or peerDependencies in ${packageFolder}/package.json.`
}

interface Manifest {
  readonly name: string
  readonly runtime: Readonly<Record<string, string>>
  readonly peers: Readonly<Record<string, string>>
  readonly development: Readonly<Record<string, string>>
}

const manifests = new Map<string, Manifest>()

function readManifest(folder: string): Manifest {
  const known = manifests.get(folder)
  if (known !== undefined) return known
  const path = join(folder, 'package.json')
  const content = (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}) as Record<string, never>
  const manifest: Manifest = {
    name: content['name'] ?? '',
    runtime: Object.assign({}, content['dependencies'], content['peerDependencies']) as Record<string, string>,
    peers: Object.assign({}, content['peerDependencies']) as Record<string, string>,
    development: Object.assign({}, content['devDependencies']) as Record<string, string>,
  }
  manifests.set(folder, manifest)
  return manifest
}

/** Find the workspace that contains `path`, by its `pnpm-workspace.yaml`. Returned paths are relative to it. */
export function locateSource(absolutePath: string): SourceFile | undefined {
  for (let folder = dirname(absolutePath); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'pnpm-workspace.yaml'))) {
      return { root: folder, path: absolutePath.slice(folder.length + 1).replaceAll('\\', '/') }
    }
    if (folder === dirname(folder)) return undefined
  }
}
