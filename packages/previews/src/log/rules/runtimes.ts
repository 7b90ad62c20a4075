import type { LineRule } from './line-rule.ts'

/** How language runtimes, debuggers and checkers of memory report what brought a program down. */
export const RUNTIME_RULES: readonly LineRule[] = [
  {
    tools: ['python', 'java', 'node', 'csharp', 'junit-surefire', 'testng', 'log4j', 'nose', 'conda'],
    kind: 'error',
    weight: 88,
    words: 'error exception failure interrupt exit timeout',
    pattern:
      /^(?:\s*(?:E\s+)?|.{0,80}: |.{0,20}=> )(?:[a-zA-Z_$][\w$]*[.:\\]{1,2})*[A-Z]\w*(?:Error|Exception|Failure|Interrupt|Exit|Timeout)\b(?:$|:| \[| \(|\s-)/,
  },
  {
    tools: ['ruby', 'cucumber'],
    kind: 'error',
    weight: 88,
    words: 'error exception',
    pattern: /\((?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception)\):?$/,
  },
  {
    tools: ['java', 'python'],
    kind: 'cause',
    weight: 82,
    words: '^caused ^cause ^reason ^root ^suppressed ^during above ^detail',
    pattern:
      /^\s*(?:Caused by|Reason|Cause|Root cause)\b ?:|^During handling of the above|^The above exception|^\s*Suppressed:/i,
  },
  {
    tools: ['python', 'gdb-core', 'javascript-unhandled-rejection', 'unittest', 'php', 'csharp', 'nose'],
    kind: 'error',
    weight: 76,
    words:
      'traceback unhandled uncaught segmentation dumped overflow memory assertion sigsegv sigkill sigabrt sigbus sigill sigfpe sigterm sigint',
    pattern:
      /Traceback \(most recent call last\)|\bUnhandled (?:exception|promise|rejection)|\bAn unhandled exception\b|\b[Uu]ncaught [A-Z]|\bSegmentation fault\b|\bcore dumped\b|\bUnhandledPromiseRejection|\bstack overflow\b|\bout of memory\b|\bSIG(?:SEGV|KILL|ABRT|BUS|INT|TERM|ILL|FPE)\b|\bassertion (?:failed|`)/i,
  },
  {
    tools: ['javascript-unhandled-rejection'],
    kind: 'error',
    weight: 74,
    words: '^node ^code',
    pattern: /^node:internal\/\S+:\d+$|^\s*code: '[A-Z]\w+'/,
  },
  {
    tools: ['elixir'],
    kind: 'error',
    weight: 88,
    words: '* error exit terminating',
    pattern: /^\s*\*\* \((?:[A-Z]\w*\.?)+(?:Error)?\) |\bterminating$/,
  },
  { tools: ['go'], kind: 'detail', weight: 74, words: 'goroutine', pattern: /^goroutine \d+ \[/ },
  {
    tools: ['sanitizers', 'thread-sanitizer', 'valgrind'],
    kind: 'error',
    weight: 92,
    words: 'sanitizer invalid definitely ^conditional ^use ^syscall ^process error',
    pattern:
      /\b(?:Address|Thread|Memory|Leak|UndefinedBehavior)Sanitizer\b|^==\d+==\s*(?:Invalid|Conditional jump|Use of uninit|Syscall param|Process terminating|.{1,60} definitely lost)|: runtime error: /,
  },
  {
    tools: ['valgrind', 'sanitizers', 'thread-sanitizer'],
    kind: 'detail',
    weight: 74,
    words: '^address located ^read ^write ^previous error',
    pattern:
      /^==\d+== {2}Address |^\s*(?:(?:Previous )?(?:Read|Write|READ|WRITE)) of size \d|^0x[\da-f]+ is located|^==\d+== ERROR SUMMARY: [1-9]/,
  },
  {
    tools: ['gdb-core', 'kernel'],
    kind: 'error',
    weight: 92,
    words: 'terminated kill invoked oops',
    pattern:
      /^Program (?:terminated|received) (?:with )?signal|\bOut of memory: Kill|\binvoked oom-killer|\bkernel BUG at|\bOops: /,
  },
  {
    tools: ['strace'],
    kind: 'error',
    weight: 60,
    words: 'econnrefused eacces eperm enospc emfile econnreset etimedout ehostunreach einval eio',
    pattern: /\) += -1 E(?!AGAIN|NOENT|INTR|NOTTY|EXIST)[A-Z]+ \(/,
  },
]
