"use strict";
(() => {
  const model = JSON.parse(document.getElementById("model").textContent);
  const byId = (id) => document.getElementById(id);
  const MOST_CHILDREN = 120; // of a group: larger ones are divided
  const PART = 40;
  const FIRST_SIGHT = 120; // boxes that are drawn at first, at most
  const MOST_BOXES = 1500; // that may be drawn at once: more are too slow to lay out, and too small to read

  // -- groups ------------------------------------------------------------------------------------------------------
  // A tree: of groups {id, label, parent, children, count, bad} and of operators, by their number.
  const groups = [];
  const parentOf = []; // of each operator, its group
  function group(label, parent) {
    const made = { id: "g" + groups.length, label, parent, children: [], count: 0, bad: 0 };
    groups.push(made);
    if (parent) parent.children.push(made);
    return made;
  }
  const root = group("", null);
  (function gather() {
    // Operators of one scope that are apart in the program are in one group, unless they are iterations of a loop, which have the same names.
    const known = new Map();
    model.nodes.forEach((node, number) => {
      let at = root, key = "";
      for (const part of node.scope) {
        key += "/" + part;
        if (!known.has(key)) known.set(key, group(part, at));
        at = known.get(key);
      }
      at.children.push(number);
    });
    const flatten = (g) => { // a group of one group is that group
      g.children.forEach((child) => typeof child === "object" && flatten(child));
      while (g !== root && g.children.length === 1 && typeof g.children[0] === "object") {
        g.label += " / " + g.children[0].label;
        g.children = g.children[0].children;
      }
    };
    flatten(root);
    // A group of one operator is that operator.
    const unwrap = (g) => {
      g.children = g.children.map((child) => {
        if (typeof child !== "object") return child;
        unwrap(child);
        return child.children.length === 1 && typeof child.children[0] === "number" ? child.children[0] : child;
      });
    };
    unwrap(root);
    const divide = (g) => {
      while (g.children.length > MOST_CHILDREN) {
        const parts = [];
        for (let i = 0; i < g.children.length; i += PART) {
          const some = g.children.slice(i, i + PART);
          if (some.length === 1) { parts.push(some[0]); continue; }
          const part = group(span(some), null);
          part.children = some;
          parts.push(part);
        }
        g.children = parts;
      }
      g.children.forEach((child) => typeof child === "object" && divide(child));
    };
    divide(root);
    const settle = (g) => {
      for (const child of g.children) {
        if (typeof child === "object") {
          child.parent = g;
          settle(child);
          g.count += child.count;
          g.bad += child.bad;
        } else {
          parentOf[child] = g;
          g.count += 1;
          g.bad += model.nodes[child].problem === null ? 0 : 1;
        }
      }
    };
    settle(root);
    function ends(child) {
      while (typeof child === "object") child = child.children[0];
      return child;
    }
    function last(child) {
      while (typeof child === "object") child = child.children[child.children.length - 1];
      return child;
    }
    function span(some) {
      const from = ends(some[0]), to = last(some[some.length - 1]);
      return "operators " + from + " to " + to + ": " + model.nodes[from].type + " ... " + model.nodes[to].type;
    }
  })();

  const producers = new Map(), consumers = new Map();
  model.nodes.forEach((node, number) => {
    for (const [, name] of node.outputs) producers.set(name, (producers.get(name) || []).concat(number));
    for (const [, name] of node.inputs) consumers.set(name, (consumers.get(name) || []).concat(number));
  });
  // Who wrote what an operator reads: of several (Paddle writes in place) the last before it.
  const writerFor = (name, reader) => {
    const all = producers.get(name);
    if (!all) return undefined;
    let found;
    for (const number of all) if (number < reader) found = number;
    return found === undefined ? all[all.length - 1] : found;
  };

  // -- what is drawn -----------------------------------------------------------------------------------------------
  let open = new Set();
  let cy = null;
  let chosen = null;

  function boxes(g = root) {
    return g.children.reduce((n, child) => n + 1 + (typeof child === "object" && open.has(child) ? boxes(child) : 0), 0);
  }
  function openLevels(limit) {
    let level = [root];
    for (;;) {
      const inside = level.flatMap((g) => g.children.filter((child) => typeof child === "object"));
      const before = new Set(open);
      inside.forEach((g) => open.add(g));
      if (!inside.length) return;
      if (boxes() > limit) { open = before; return; }
      level = inside;
    }
  }
  openLevels(FIRST_SIGHT);

  function shownFor(number) { // the operator, or the outermost closed group around it
    let found = number;
    for (let g = parentOf[number]; g !== root; g = g.parent) if (!open.has(g)) found = g;
    return found;
  }
  const idOf = (item) => (typeof item === "object" ? item.id : "n" + item);

  function elements() {
    const list = [];
    const add = (g, parent) => {
      for (const child of g.children) {
        const closed = typeof child === "object" && !open.has(child);
        if (typeof child === "number") {
          const node = model.nodes[child];
          list.push({ data: { id: idOf(child), label: node.type, parent, number: child }, classes: "operator" + (node.problem === null ? "" : " bad") });
        } else {
          list.push({
            data: { id: child.id, label: closed ? short(child.label, 60) + "\n" + child.count + " operators" : short(child.label, 80), parent },
            classes: (closed ? "closed" : "open") + (child.bad ? " bad" : ""),
          });
          if (!closed) add(child, child.id);
        }
      }
    };
    add(root, undefined);
    const edges = new Map();
    const connect = (from, to, name) => {
      if (from === to) return;
      const key = from + ">" + to;
      if (!edges.has(key)) edges.set(key, { data: { id: key, source: from, target: to, names: [] } });
      edges.get(key).data.names.push(name);
    };
    model.nodes.forEach((node, number) => {
      for (const [, name] of node.inputs) {
        const from = writerFor(name, number);
        if (from !== undefined) connect(idOf(shownFor(from)), idOf(shownFor(number)), name);
      }
    });
    const port = (kind, index, [shown, name]) => {
      const id = kind + index;
      list.push({ data: { id, label: shown + "\n" + typeOf(name), tensor: name }, classes: "port" });
      return id;
    };
    model.inputs.forEach((entry, index) => {
      const id = port("input", index, entry);
      for (const number of consumers.get(entry[1]) || []) connect(id, idOf(shownFor(number)), entry[1]);
    });
    model.outputs.forEach((entry, index) => {
      const id = port("output", index, entry);
      const from = writerFor(entry[1], Infinity);
      if (from !== undefined) connect(idOf(shownFor(from)), id, entry[1]);
    });
    for (const { data } of list) data.width = widthOf(data.label);
    for (const edge of edges.values()) {
      const { names } = edge.data;
      edge.data.label = names.length === 1 ? shapeOf(names[0]) : names.length + " tensors";
    }
    return list.concat([...edges.values()]);
  }
  const ruler = document.createElement("canvas").getContext("2d");
  ruler.font = "600 12px system-ui, sans-serif";
  const widthOf = (label) => Math.max(...label.split("\n").map((line) => ruler.measureText(line).width)) + 4;
  const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  const typeOf = (name) => (model.tensors[name] || {}).type || "";
  const shapeOf = (name) => (typeOf(name).match(/\[.*\]/) || [""])[0];

  const style = [
    { selector: "node", style: { "font-family": "system-ui, sans-serif", "font-size": 12, color: "#1c2530" } },
    { selector: ".operator", style: { shape: "round-rectangle", label: "data(label)", "text-valign": "center", width: "data(width)", height: 24, padding: "6px",
      "background-color": "#e8f0fe", "border-width": 1, "border-color": "#9db8e8" } },
    { selector: ".closed", style: { shape: "round-rectangle", label: "data(label)", "text-wrap": "wrap", "text-valign": "center", "text-max-width": 500, width: "data(width)", height: 40, padding: "8px",
      "background-color": "#eceff3", "border-width": 2, "border-style": "double", "border-color": "#8895a5", "font-weight": 600 } },
    { selector: ".open", style: { shape: "round-rectangle", label: "data(label)", "text-valign": "top", "text-halign": "center", "text-margin-y": -3, "font-size": 10, color: "#5b6878",
      "background-color": "#8895a5", "background-opacity": 0.07, "border-width": 1, "border-color": "#c3ccd6", padding: "10px" } },
    { selector: ".port", style: { shape: "round-rectangle", label: "data(label)", "text-wrap": "wrap", "text-valign": "center", width: "data(width)", height: 34, padding: "8px",
      "background-color": "#e6f4ea", "border-width": 1, "border-color": "#8cc79b" } },
    { selector: ".bad", style: { "border-color": "#c62828", "border-width": 2 } },
    { selector: ".operator.bad", style: { "background-color": "#fdecea" } },
    { selector: "edge", style: { width: 1, "curve-style": "bezier", "line-color": "#a7b1bd", "target-arrow-shape": "triangle", "target-arrow-color": "#a7b1bd", "arrow-scale": 0.7,
      label: "data(label)", "font-size": 8, color: "#6b7785", "font-family": "system-ui, sans-serif", "text-background-color": "#fff", "text-background-opacity": 0.8, "min-zoomed-font-size": 6 } },
    { selector: ".chosen", style: { "border-width": 3, "border-color": "#1f6feb" } },
    { selector: ".near", style: { "line-color": "#1f6feb", "target-arrow-color": "#1f6feb", width: 2 } },
  ];

  function draw(keep) {
    const zoom = cy && cy.zoom(), pan = cy && cy.pan();
    const anchor = keep && cy && cy.getElementById(keep);
    const before = anchor && anchor.length ? anchor.renderedPosition() : null;
    if (!cy) {
      cytoscape.use(cytoscapeDagre);
      cy = cytoscape({ container: byId("graph"), style, minZoom: 0.01, maxZoom: 4, boxSelectionEnabled: false, autoungrabify: true });
      cy.on("tap", "node", (event) => tapped(event.target));
      byId("graph").setAttribute("data-ready", "");
    }
    cy.batch(() => {
      cy.elements().remove();
      cy.add(elements());
    });
    cy.layout({ name: "dagre", rankDir: "TB", nodeSep: 18, rankSep: 34, edgeSep: 8, animate: false, fit: false }).run();
    if (zoom && before && cy.getElementById(keep).length) {
      const now = cy.getElementById(keep).position();
      cy.zoom(zoom);
      cy.pan({ x: before.x - now.x * zoom, y: before.y - now.y * zoom });
    } else if (zoom && keep === null) {
      cy.zoom(zoom);
      cy.pan(pan);
    } else {
      first();
    }
    mark();
    const more = groups.some((g) => g !== root && g.parent && reachable(g) && !open.has(g));
    byId("expand").disabled = !more;
    byId("collapse").disabled = !open.size;
    byId("hint").textContent = boxes() + " boxes for " + model.nodes.length + " operators" + (groups.length > 1 ? "; a double border is a group: click to open, a click into an open one closes it" : "");
  }
  const reachable = (g) => { for (let p = g.parent; p !== root; p = p.parent) if (!p || !open.has(p)) return false; return true; };

  function first() { // all of it, unless that is too small to read: then the beginning
    cy.fit(undefined, 30);
    if (cy.zoom() > 1.2) { cy.zoom(1.2); cy.center(); }
    if (cy.zoom() >= 0.25) return;
    const box = cy.elements().boundingBox();
    const top = cy.nodes().filter((n) => n.position("y") < box.y1 + 80);
    cy.zoom(0.6);
    cy.center(top);
    cy.panBy({ x: 0, y: 70 - top.renderedBoundingBox().y1 });
  }

  function tapped(node) {
    const item = node.hasClass("operator") ? node.data("number") : groups.find((g) => g.id === node.id());
    if (node.hasClass("port")) return showTensor(node.data("tensor"));
    if (typeof item === "number") return choose(item, false);
    toggle(item);
  }
  function toggle(g) {
    if (open.has(g)) { open.delete(g); } else {
      open.add(g);
      if (boxes() > MOST_BOXES) { open.delete(g); byId("hint").textContent = "too many boxes: close another group first"; return; }
    }
    draw(g.id);
  }
  function mark() {
    cy.elements().removeClass("chosen near");
    if (chosen === null) return;
    const node = cy.getElementById(idOf(shownFor(chosen)));
    node.addClass("chosen");
    node.connectedEdges().addClass("near");
  }
  function choose(number, move) {
    chosen = number;
    if (move && cy) {
      const around = [];
      for (let g = parentOf[number]; g !== root; g = g.parent) around.push(g);
      const closed = around.filter((g) => !open.has(g));
      if (closed.length) {
        closed.forEach((g) => open.add(g));
        if (boxes() > MOST_BOXES) open = new Set(around);
        draw();
      }
      const node = cy.getElementById("n" + number);
      cy.zoom(Math.max(cy.zoom(), 0.8));
      cy.center(node);
    }
    if (cy) mark();
    showOperator(number);
  }

  // -- the panel ---------------------------------------------------------------------------------------------------
  function el(tag, text, attributes) {
    const made = document.createElement(tag);
    if (text !== undefined && text !== null) made.textContent = text;
    Object.assign(made, attributes || {});
    return made;
  }
  function table(rows, heads) {
    const made = el("table");
    if (heads) {
      const row = made.insertRow();
      heads.forEach((head) => row.append(el("th", head)));
    }
    for (const cells of rows) {
      const row = made.insertRow();
      for (const cell of cells) {
        const td = row.insertCell();
        if (typeof cell === "number") { td.className = "number"; td.textContent = cell; } else if (cell instanceof Node) td.append(cell); else td.textContent = cell;
      }
    }
    return made;
  }
  const link = (text, action) => el("a", text, { onclick: action, tabIndex: 0, onkeydown: (e) => { if (e.key === "Enter") action(); } });
  const operatorLink = (number) => link("#" + number + " " + model.nodes[number].type, () => choose(number, true));
  const size = (bytes) => { let n = bytes, u = 0; while (n >= 1000 && u < 4) { n /= 1000; u++; } return (u ? n.toFixed(1) : n) + " " + ["B", "kB", "MB", "GB", "TB"][u]; };

  function links(numbers) {
    const made = el("span");
    (numbers || []).slice(0, 30).forEach((number, i) => { if (i) made.append(", "); made.append(operatorLink(number)); });
    if ((numbers || []).length > 30) made.append(" and " + (numbers.length - 30) + " more");
    return made;
  }
  function tensorCell(name) {
    const made = el("span"), known = model.tensors[name] || {};
    made.append(link(name, () => showTensor(name)), el("div", (known.type || "type unknown") + (known.weight ? ", weight" + (known.bytes === null ? "" : ", " + size(known.bytes)) : ""), { className: "soft" }));
    return made;
  }
  function problemBox(problem) {
    const made = el("div", undefined, { className: "problem" });
    made.append(el("div", problem.message), el("div", problem.code + (problem.place ? ", " + problem.place : ""), { className: "soft" }));
    if (problem.hint) made.append(el("div", "hint: " + problem.hint));
    if (problem.node !== null) made.append(link("show it", () => choose(problem.node, true)));
    return made;
  }
  const content = byId("content");
  function show(...parts) { content.replaceChildren(...parts); content.scrollTop = 0; }
  function pick(name) { for (const tab of byId("tabs").children) tab.setAttribute("aria-selected", tab.textContent.startsWith(name)); }

  function showOperator(number) {
    pick("operator");
    const node = model.nodes[number];
    const rows = [["number", "#" + number + (node.place ? ", " + node.place : "")]];
    if (node.name) rows.push(["name", node.name]);
    if (node.source) rows.push(["Python", el("code", node.source)]);
    if (node.scope.length) rows.push(["layers", node.scope.join(" / ")]);
    const parts = [el("h2", node.type), table(rows)];
    if (node.problem !== null) parts.push(el("h2", "cannot be converted"), problemBox(model.problems[node.problem]));
    const flow = (title, list, other) => {
      if (!list.length) return;
      parts.push(el("h2", title), table(list.map(([slot, name]) => [slot, tensorCell(name), links(other(name))])));
    };
    flow("inputs", node.inputs, (name) => { const w = writerFor(name, number); return w === undefined || w === number ? [] : [w]; });
    flow("outputs", node.outputs, (name) => (consumers.get(name) || []).filter((n) => n !== number));
    if (node.attributes.length) parts.push(el("h2", "attributes"), table(node.attributes));
    show(...parts);
  }
  function showTensor(name) {
    pick("operator");
    const known = model.tensors[name] || {};
    const rows = [["type", known.type || "unknown"]];
    if (known.weight) rows.push(["weight", known.bytes === null ? "" : size(known.bytes)]);
    rows.push(["made by", links(producers.get(name))], ["read by", links(consumers.get(name))]);
    show(el("h2", name), table(rows));
  }
  function showModel() {
    pick("model");
    const ports = (list) => table(list.map(([shown, name]) => [link(shown, () => showTensor(name)), typeOf(name)]));
    show(table(model.facts), el("h2", "inputs"), ports(model.inputs), el("h2", "outputs"), ports(model.outputs));
  }
  function showProblems() {
    pick("cannot");
    show(...model.problems.map(problemBox));
  }
  function showTypes() {
    pick("operators");
    const counts = new Map();
    model.nodes.forEach((node, number) => counts.set(node.type, (counts.get(node.type) || []).concat(number)));
    const rows = [...counts].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
    show(table(rows.map(([type, numbers]) => [link(type, () => { byId("search").value = type; search(); byId("search").focus(); }), numbers.length])));
  }
  function showWeights() {
    pick("weights");
    const all = Object.entries(model.tensors).filter(([, tensor]) => tensor.weight).sort((a, b) => (b[1].bytes || 0) - (a[1].bytes || 0));
    const rows = all.slice(0, 500).map(([name, tensor]) => [link(name, () => showTensor(name)), tensor.type, tensor.bytes === null ? "" : size(tensor.bytes)]);
    show(el("p", all.length + " tensors, " + size(all.reduce((n, [, tensor]) => n + (tensor.bytes || 0), 0)) + (all.length > 500 ? "; the largest 500:" : "")), table(rows));
  }
  function tab(title, action) { byId("tabs").append(el("button", title, { onclick: action, role: "tab" })); }
  tab("model", showModel);
  if (model.problems.length) tab("cannot be converted (" + model.problems.length + ")", showProblems);
  tab("operators (" + model.nodes.length + ")", showTypes);
  tab("weights", showWeights);
  if (model.nodes.length) tab("operator", () => choose(chosen === null ? 0 : chosen, true));

  // -- search ------------------------------------------------------------------------------------------------------
  const texts = model.nodes.map((node) => [node.type, node.name, node.source, ...node.scope, ...node.inputs.concat(node.outputs).map((e) => e[1])].join("\n").toLowerCase());
  function search() {
    const wanted = byId("search").value.trim().toLowerCase(), list = byId("hits");
    list.hidden = !wanted;
    if (!wanted) return;
    const found = [];
    texts.forEach((text, number) => text.includes(wanted) && found.push(number));
    // Operators of that very type come before those that only read something of that name.
    const rank = (n) => (model.nodes[n].type.toLowerCase() === wanted ? 0 : model.nodes[n].type.toLowerCase().includes(wanted) ? 1 : 2);
    found.sort((a, b) => rank(a) - rank(b) || a - b);
    list.replaceChildren(...found.slice(0, 50).map((number) => {
      const item = el("li", "#" + number + " " + model.nodes[number].type);
      item.append(el("small", model.nodes[number].source || model.nodes[number].name || (model.nodes[number].outputs[0] || ["", ""])[1]));
      item.onmousedown = (event) => { event.preventDefault(); list.hidden = true; choose(number, true); };
      return item;
    }));
    if (found.length > 50) list.append(el("li", "and " + (found.length - 50) + " more"));
    if (!found.length) list.append(el("li", "nothing"));
  }
  byId("search").oninput = search;
  byId("search").onfocus = search;
  byId("search").onblur = () => { byId("hits").hidden = true; };
  byId("search").onkeydown = (event) => {
    if (event.key === "Enter" && byId("hits").firstChild && byId("hits").firstChild.onmousedown) byId("hits").firstChild.onmousedown(event);
    if (event.key === "Escape") byId("hits").hidden = true;
  };

  // -- beginning ---------------------------------------------------------------------------------------------------
  byId("verdict").textContent = model.verdict;
  byId("verdict").className = model.ok === null ? "" : model.ok ? "good" : "bad";
  if (model.problems.length) showProblems(); else showModel();
  if (typeof cytoscape === "undefined") {
    byId("drawing").replaceChildren(el("p", "The libraries that draw the graph were not at hand when this page was made.", { style: "padding: 20px" }));
    return;
  }
  byId("zoom-in").onclick = () => cy.zoom({ level: cy.zoom() * 1.4, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } });
  byId("zoom-out").onclick = () => cy.zoom({ level: cy.zoom() / 1.4, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } });
  byId("fit").onclick = () => cy.fit(undefined, 30);
  byId("expand").onclick = () => {
    const before = new Set(open);
    groups.filter((g) => g !== root && g.parent && !before.has(g) && reachable(g)).forEach((g) => open.add(g));
    if (boxes() > MOST_BOXES) { open = before; byId("hint").textContent = "that would be too many boxes: open single groups"; return; }
    draw();
  };
  byId("collapse").onclick = () => { open = new Set(); draw(); };
  draw();
  // page.html#12 is that operator's own address.
  const asked = () => {
    const number = /^#(\d+)$/.exec(location.hash);
    if (number && model.nodes[+number[1]]) choose(+number[1], true);
  };
  window.onhashchange = asked;
  asked();
})();
