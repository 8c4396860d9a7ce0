const _imports_1 = "/assets/replicas-dark.Z5Zpu5XA.svg";
const _imports_2 = "/assets/replicas-light.Bm5VY2Ll.svg";
export {
  _imports_1 as _,
  _imports_2 as a
};
