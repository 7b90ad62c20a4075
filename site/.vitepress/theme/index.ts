import DefaultTheme from 'vitepress/theme'
import { useData, type Theme } from 'vitepress'
import { defineAsyncComponent, defineComponent, h } from 'vue'
import './style.css'

const Playground = defineAsyncComponent(() => import('./Playground.vue'))

/** Pages are plain Markdown without HTML, so the playground stands below the page whose front matter names it. */
const Layout = defineComponent({
  setup() {
    const { frontmatter } = useData()
    return () =>
      h(DefaultTheme.Layout, null, { 'doc-after': () => (frontmatter.value['playground'] ? h(Playground) : null) })
  },
})

const theme: Theme = { extends: DefaultTheme, Layout }
export default theme
