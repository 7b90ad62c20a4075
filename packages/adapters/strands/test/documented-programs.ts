/**
 * The programs with which Strands documents its plugin, unchanged except for the imports. These are a parameter, so
 * that the same lines run with Strands' own plugin and with ours.
 */
import { Agent, type Plugin } from '@strands-agents/sdk'
import { bash } from '@strands-agents/sdk/vended-tools/bash'
import { fileEditor } from '@strands-agents/sdk/vended-tools/file-editor'

/** The imports of the programs. */
export interface Imports {
  readonly ContextOffloader: new (config: {
    storage: never
    maxResultTokens?: number
    previewTokens?: number
    includeRetrievalTool?: boolean
  }) => Plugin
  readonly InMemoryStorage: new () => object
  readonly FileStorage: new (directory: string) => object
  readonly S3Storage: new (bucket: string, options: { readonly prefix?: string }) => object
}

/** A type to construct the imported classes, because the types of the two packages differ. */
type New = new (...parameters: unknown[]) => never

/** "Pass a ContextOffloader instance to your agent's plugins list with your choice of storage backend." */
export function gettingStarted(imports: Imports): Agent {
  const { ContextOffloader } = imports
  const InMemoryStorage = imports.InMemoryStorage as New
  const agent = new Agent({
    plugins: [new ContextOffloader({ storage: new InMemoryStorage() })],
  })
  return agent
}

/** "To customize the token thresholds." */
export function thresholds(imports: Imports): Agent {
  const { ContextOffloader } = imports
  const InMemoryStorage = imports.InMemoryStorage as New
  const agent = new Agent({
    plugins: [
      new ContextOffloader({
        storage: new InMemoryStorage(),
        maxResultTokens: 5_000,
        previewTokens: 2_000,
      }),
    ],
  })
  return agent
}

/** "File storage: persists to a local directory." */
export function fileStorage(imports: Imports, directory: string): Agent {
  const { ContextOffloader } = imports
  const FileStorage = imports.FileStorage as New
  const agent = new Agent({
    plugins: [
      new ContextOffloader({
        storage: new FileStorage(directory),
      }),
    ],
  })
  return agent
}

/** "S3 storage: persists to an Amazon S3 bucket." */
export function s3Storage(imports: Imports): Agent {
  const { ContextOffloader } = imports
  const S3Storage = imports.S3Storage as New
  const agent = new Agent({
    plugins: [
      new ContextOffloader({
        storage: new S3Storage('my-agent-artifacts', {
          prefix: 'tool-results/',
        }),
      }),
    ],
  })
  return agent
}

/** "To disable the built-in retrieval tool and rely on the agent's own tools." */
export function ownTools(imports: Imports, directory: string): Agent {
  const { ContextOffloader } = imports
  const FileStorage = imports.FileStorage as New
  const agent = new Agent({
    tools: [bash, fileEditor],
    plugins: [
      new ContextOffloader({
        storage: new FileStorage(directory),
        includeRetrievalTool: false,
      }),
    ],
  })
  return agent
}
