/** Which code may import which: the dependency rules of the workspace as data, and one function that applies them. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { packageName } from '../peers/package-name.ts'

/** The folders of `packages/core/src`, and the folders beside it that the sources of each may import. */
export const CORE_LAYERS: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  storage: ['platform'],
  driver: ['storage'],
  compression: ['platform', 'storage', 'driver', 'content'],
  encryption: ['platform', 'storage', 'driver'],
  tokens: ['storage'],
  content: ['platform', 'storage', 'tokens'],
  preview: ['storage', 'content', 'tokens'],
  html: ['content', 'tokens', 'preview'],
  code: ['content', 'tokens', 'preview'],
  pdf: ['platform', 'content', 'tokens', 'preview'],
  image: ['content', 'tokens', 'preview'],
  search: ['platform', 'storage', 'content'],
  retrieval: ['platform', 'storage', 'content', 'tokens', 'search'],
  offload: ['platform', 'storage', 'content', 'tokens', 'preview', 'retrieval'],
  adapter: ['platform', 'storage', 'content', 'tokens', 'offload'],
  files: ['platform', 'storage', 'content', 'search'],
  http: ['platform'],
  history: ['platform', 'storage', 'content', 'tokens', 'preview', 'retrieval', 'offload', 'adapter'],
  conformance: ['storage'],
}

/** Folders that are imported by entries of their own, such as `@spillway/core/files`. */
const OWN_ENTRIES = ['adapter', 'code', 'conformance', 'driver', 'files', 'history', 'html', 'http', 'image', 'pdf']
/** The only sources of core that may import `node:` modules, and with that need Node.js. */
const CORE_NODE_FILES = /^packages\/core\/src\/(?:platform\/node[\w-]*|conformance\/(?:node-test|vitest))\.ts$/
/**
 * Adapters run wherever their frameworks do, and with that in workers and at the edge; a proxy starts processes and serves
 * HTTP, and a hook of Claude Code reads files that it has written.
 */
const EDGE_ADAPTER = /^packages\/adapters\/(?!mcp\/src\/(?:http|proxy)\/|claude-agent-sdk\/src\/hook\/)/
/** The sources of core that may import its optional peers: the test runner, and the libraries of one kind of content. */
const CORE_PEER_FILES = /^packages\/core\/src\/(?:conformance\/vitest\.ts$|(?:html|code|pdf|image)\/)/
const PACKAGE_FILE = /^packages\/(?:core|cli|server|storage\/[^/]+|adapters\/[^/]+)\//
/** Files that count as tests. */
const TEST_FILE = /\.test(?:-d)?\.ts$|^packages\/(?:\w+\/)?[^/]+\/test\//

/** A file of the workspace, its path relative to the root and with slashes. */
interface SourceFile {
  readonly root: string
  readonly path: string
}

/**
 * Say why `file` may not import `specifier`, or return `undefined` where it may.
 *
 * Sources follow every rule. Tests may also use Node.js, development dependencies and any folder of their own package,
 * but no test of core uses a backend, and nothing uses the command line.
 */
export function refuseImport(file: SourceFile, specifier: string): string | undefined {
  const packageFolder = PACKAGE_FILE.exec(file.path)?.[0].slice(0, -1)
  if (packageFolder === undefined) return undefined
  const isTest = TEST_FILE.test(file.path)
  if (specifier.startsWith('.')) return refuseRelative(file.path, packageFolder, isTest, specifier)
  if (specifier.startsWith('#')) return isTest ? undefined : refuseLayer(file.path, specifier.slice(1))
  if (specifier.startsWith('node:')) {
    if (EDGE_ADAPTER.test(file.path) && !isTest)
      return 'This adapter runs wherever its framework does, also without Node.js.'
    return packageFolder !== 'packages/core' || isTest || CORE_NODE_FILES.test(file.path)
      ? undefined
      : 'Core runs in any JavaScript runtime: only src/platform/node*.ts may import node: modules. Use `#platform`.'
  }
  return refusePackage(file, packageFolder, isTest, packageName(specifier))
}

function refuseRelative(path: string, packageFolder: string, isTest: boolean, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(path), specifier)
  if (!target.startsWith(`${packageFolder}/`)) return 'Import another package by its name, never by a relative path.'
  if (isTest || packageFolder !== 'packages/core') return undefined
  const [layer, file] = target.slice('packages/core/src/'.length).split('/')
  if (layer === undefined || file === undefined)
    return layerOf(path) === undefined ? undefined : 'Import the file that declares the name, not the index.'
  return refuseLayer(path, layer)
}

function refuseLayer(path: string, target: string): string | undefined {
  const layer = layerOf(path)
  if (layer === undefined) {
    return OWN_ENTRIES.includes(target)
      ? `\`${target}\` has entry points of its own: the index leaves it out.`
      : undefined
  }
  const allowed = CORE_LAYERS[layer]
  if (allowed === undefined) return `Add \`${layer}\` to CORE_LAYERS in internal/lint/dependency-rules.ts.`
  if (target === layer || allowed.includes(target)) return undefined
  const list = allowed.length === 0 ? 'no other folder' : `only ${allowed.map((name) => `\`${name}\``).join(', ')}`
  return `In core, \`${layer}\` may import ${list}: not \`${target}\`.`
}

function refusePackage(file: SourceFile, packageFolder: string, isTest: boolean, name: string): string | undefined {
  if (name === '@spillway/cli') return 'Nothing may import the command line.'
  if (packageFolder === 'packages/core' && name.startsWith('@spillway/')) {
    return 'Core imports no other Spillway package; its tests use a storage of their own.'
  }
  const manifest = readManifest(join(file.root, packageFolder))
  if (isTest) {
    const known = [manifest, readManifest(file.root)].some((one) => name in { ...one.runtime, ...one.development })
    return known || name === manifest.name ? undefined : `Declare \`${name}\` in ${packageFolder}/package.json.`
  }
  if (packageFolder !== 'packages/cli' && packageFolder !== 'packages/core') {
    if (name.startsWith('@spillway/') && name !== '@spillway/core') {
      return 'Backends, adapters and the server import @spillway/core and their own libraries, and no other Spillway package.'
    }
  }
  if (packageFolder === 'packages/core' && name in manifest.peers && !CORE_PEER_FILES.test(file.path)) {
    return `${name} is an optional peer of core: only the entry points that need it may import it.`
  }
  return name in manifest.runtime
    ? undefined
    : `Declare \`${name}\` under dependencies or peerDependencies in ${packageFolder}/package.json.`
}

function layerOf(path: string): string | undefined {
  return /^packages\/core\/src\/([^/]+)\//.exec(path)?.[1]
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

/** Find the workspace that holds `path`, by its `pnpm-workspace.yaml`; paths come back relative to it. */
export function locateSource(absolutePath: string): SourceFile | undefined {
  for (let folder = dirname(absolutePath); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'pnpm-workspace.yaml'))) {
      return { root: folder, path: absolutePath.slice(folder.length + 1).replaceAll('\\', '/') }
    }
    if (folder === dirname(folder)) return undefined
  }
}
