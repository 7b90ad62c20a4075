/** Lint rules that oxlint does not have. */
import type { RuleTester } from 'oxlint/plugins-dev'
import { locateSource, refuseImport } from './dependency-rules.ts'
import { faultsOfComment, faultsOfTitle } from './plain-english.ts'

type Rule = Parameters<RuleTester['run']>[1]

/** The fields of a syntax tree node that the rules use. */
interface SyntaxNode {
  readonly type: string
  readonly [name: string]: unknown
}

/** Refuse imports that violate the dependency rules. */
const dependencyRules: Rule = {
  create(context) {
    const file = locateSource(context.filename)
    if (file === undefined) return {}
    const check = (source: SyntaxNode | null): void => {
      if (source?.type !== 'Literal' || typeof source['value'] !== 'string') return
      const message = refuseImport(file, source['value'])
      if (message !== undefined) context.report({ message, node: source as never })
    }
    return {
      ImportDeclaration: (node) => check(node.source as never),
      ImportExpression: (node) => check(node.source as never),
      ExportNamedDeclaration: (node) => check(node.source as never),
      ExportAllDeclaration: (node) => check(node.source as never),
      TSImportType: (node) => check(node.source as never),
    }
  },
}

/** Refuse `error instanceof StorageError`: it fails if two copies of core are installed. */
const noInstanceofStorageError: Rule = {
  create: (context) => ({
    BinaryExpression(node) {
      if (node.operator !== 'instanceof' || node.right.type !== 'Identifier') return
      if (node.right.name !== 'StorageError') return
      context.report({ message: 'Use `StorageError.isInstance(error)`. It works with two copies of core, too.', node })
    },
  }),
}

/** Refuse catch clauses that do not use the caught error, because they swallow unexpected failures. */
const noBareCatch: Rule = {
  create(context) {
    const message = 'Handle one named condition and rethrow the rest: test the caught error, wrap it, or pass it on.'
    return {
      CatchClause(node) {
        const rethrows = contains(node.body as never, (child) => child.type === 'ThrowStatement')
        if (!rethrows && !usesParameter(node.param as never, node.body as never)) context.report({ message, node })
      },
      CallExpression(node) {
        const { callee } = node
        if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
        const position = callee.property.name === 'catch' ? 0 : callee.property.name === 'then' ? 1 : -1
        const handler = node.arguments[position]
        // A statement `promise.catch(…)` only marks the rejection as handled. Other code awaits the promise.
        if (callee.object.type === 'Identifier' && node.parent.type === 'ExpressionStatement') return
        if (handler?.type !== 'ArrowFunctionExpression' && handler?.type !== 'FunctionExpression') return
        const rethrows = contains(handler.body as never, (child) => child.type === 'ThrowStatement')
        if (!rethrows && !usesParameter(handler.params[0] as never, handler.body as never)) {
          context.report({ message, node: handler })
        }
      },
    }
  },
}

/** Refuse `export *`: the names that a file exports are listed one by one. */
const noExportAll: Rule = {
  create: (context) => ({
    ExportAllDeclaration(node) {
      context.report({ message: 'Export names one by one, so that the public list can be read in one screen.', node })
    },
  }),
}

/** Refuse doc comments that are hard to read. */
const plainComments: Rule = {
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        if (comment.type !== 'Block' || !comment.value.startsWith('*')) continue
        for (const message of faultsOfComment(comment.value.slice(1))) context.report({ message, loc: comment.loc })
      }
    },
  }),
}

/** Refuse titles of tests and of cases, the values of `title`, that are not statements. */
const plainTitles: Rule = {
  create(context) {
    const check = (node: SyntaxNode | undefined): void => {
      const title = node?.type === 'Literal' ? node['value'] : textOfTemplate(node)
      if (typeof title !== 'string') return
      for (const message of faultsOfTitle(title)) context.report({ message, node: node as never })
    }
    return {
      CallExpression(node) {
        if (isTest(node.callee as never)) check(node.arguments[0] as never)
      },
      Property(node) {
        if (node.key.type === 'Identifier' && node.key.name === 'title') check(node.value as never)
      },
    }
  },
}

/** Whether a call with this callee declares a test: `it`, `test.skipIf(…)`, `it.each(…)`. */
function isTest(callee: SyntaxNode): boolean {
  if (callee.type === 'Identifier') return callee['name'] === 'it' || callee['name'] === 'test'
  const inner = callee['object'] ?? callee['callee'] ?? callee['tag']
  return inner !== undefined && isTest(inner as SyntaxNode)
}

function textOfTemplate(node: SyntaxNode | undefined): string | undefined {
  if (node?.type !== 'TemplateLiteral') return undefined
  return (node['quasis'] as { value: { raw: string } }[]).map(({ value }) => value.raw).join('x')
}

function usesParameter(parameter: SyntaxNode | null | undefined, body: SyntaxNode): boolean {
  if (parameter === null || parameter === undefined) return false
  if (parameter.type !== 'Identifier') return true
  return contains(body, (child) => child.type === 'Identifier' && child['name'] === parameter['name'])
}

function contains(node: SyntaxNode, matches: (node: SyntaxNode) => boolean): boolean {
  if (matches(node)) return true
  for (const [name, value] of Object.entries(node)) {
    if (name === 'parent' || typeof value !== 'object' || value === null) continue
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string' && contains(child as SyntaxNode, matches)) return true
    }
  }
  return false
}

const plugin: { readonly meta: { readonly name: string }; readonly rules: Readonly<Record<string, Rule>> } = {
  meta: { name: 'spillway' },
  rules: {
    'dependency-rules': dependencyRules,
    'no-instanceof-storage-error': noInstanceofStorageError,
    'no-bare-catch': noBareCatch,
    'no-export-all': noExportAll,
    'plain-comments': plainComments,
    'plain-titles': plainTitles,
  },
}

export default plugin
