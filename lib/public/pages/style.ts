/** Style of every page. The content security policy allows only its hash, so no element may have a style attribute. */
export const STYLE = `
:root{color-scheme:light dark;--bg:light-dark(#fff,#14171c);--card:light-dark(#fff,#1b1f26);--line:light-dark(#d8dde4,#343b46);
--text:light-dark(#1a1f26,#e8ebf0);--soft:light-dark(#545d6a,#a9b2bf);--ok:light-dark(#1a7f4b,#3fbf7f);
--bad:light-dark(#c0262d,#ff7b72);--warn:light-dark(#9a5b00,#f0b429);--work:light-dark(#2563a8,#6cb0f5);
--none:light-dark(#6b7480,#8d97a5);--link:light-dark(#1d5fd0,#8ab8ff)}
.light{color-scheme:light}.dark{color-scheme:dark}
.teal{--link:light-dark(#0b6e6e,#5cd0d0)}.green{--link:light-dark(#1a7340,#6fd39a)}.purple{--link:light-dark(#6b3fc4,#c3a6ff)}
.magenta{--link:light-dark(#a3246f,#ff9bd0)}.red{--link:light-dark(#b3261e,#ff9d94)}.orange{--link:light-dark(#934a00,#ffb570)}
.gray{--link:light-dark(#46505d,#c3cad4)}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:48rem;margin:0 auto;padding:0 1rem}
header{padding-top:2rem}main{padding-bottom:1rem}footer{padding-bottom:2rem;color:var(--soft);font-size:.875rem}
h1{font-size:1.5rem;line-height:1.25;margin:0}h2{font-size:1.125rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:0}
p{margin:.25rem 0}a{color:var(--link)}ul{list-style:none;margin:0;padding:0}
.logo{display:block;max-height:3rem;max-width:12rem;margin-bottom:.75rem}
.soft,time{color:var(--soft);font-size:.875rem}
.top{display:flex;flex-wrap:wrap;gap:.5rem 1rem;justify-content:space-between;align-items:baseline}
.banner{display:flex;gap:.75rem;align-items:center;margin:1.5rem 0 0;padding:1rem;border:2px solid;border-radius:.5rem;font-weight:600}
.card{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1rem;margin-bottom:.5rem}
.row{display:flex;flex-wrap:wrap;gap:.25rem 1rem;justify-content:space-between}
.state{display:inline-flex;gap:.375rem;align-items:center;font-weight:600;white-space:nowrap}
.icon{width:1em;height:1em;flex:none}
.operational{color:var(--ok)}.outage,.major_outage,.partial_outage{color:var(--bad)}.degraded{color:var(--warn)}
.maintenance{color:var(--work)}.unknown{color:var(--none)}
.bars{display:block;width:100%;height:2.5rem;margin-top:.5rem}
.o{fill:var(--ok)}.x{fill:var(--bad)}.d{fill:var(--warn)}.m{fill:var(--work)}.u{fill:var(--none)}
.update{border-left:3px solid var(--line);padding-left:.75rem;margin-top:.75rem}
details{margin-top:.25rem;font-size:.875rem}summary{cursor:pointer;color:var(--link)}
table{border-collapse:collapse}th,td{text-align:left;padding:.125rem 1rem .125rem 0;font-weight:400}
.notice{margin:1rem 0 0;padding:.75rem 1rem;border:2px solid var(--warn);border-radius:.5rem}
button{font:inherit;padding:.25rem .75rem;border:1px solid var(--link);border-radius:.25rem;background:none;color:var(--link);cursor:pointer}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
@media (forced-colors:active){.o,.x,.d,.m,.u{fill:CanvasText}}
`
  .trim()
  .replaceAll('\n', '');

/** Script of a preview: shows HTML that the editor sends, but not in its own tab: any page can be the opener there. */
export const PREVIEW_SCRIPT =
  "addEventListener('message',({source,data})=>{if(source===parent&&source!==window)" +
  "document.documentElement.replaceWith(new DOMParser().parseFromString(data,'text/html').documentElement)});";

/**
 * Script of every page, optional for visitors: shows a notice once the page is older than 15 minutes, and offers to
 * reload it if the published state has changed. It fetches that state once a minute while the page is visible.
 */
export const SCRIPT = `
const d=document.documentElement.dataset,n=document.getElementById('old'),c=document.getElementById('changed');
const look=()=>{n.hidden=Date.now()-Date.parse(d.asOf)<9e5};
c.querySelector('button').onclick=()=>location.reload();
look();setInterval(async()=>{look();if(document.hidden)return;
try{const r=await fetch(d.json,{credentials:'omit'});if(r.ok)c.hidden=(await r.json()).revision===d.revision}catch{}},6e4);
`
  .trim()
  .replaceAll('\n', '');
