// emulate has no option for its interface and binds all of them: every listen() of this process is pinned.
const net = require("net");
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (first, ...rest) {
  if (typeof first === "object" && first !== null) {
    return listen.call(this, { ...first, host: "127.0.0.1" }, ...rest);
  }
  return listen.call(this, first, "127.0.0.1", ...rest.filter((value) => typeof value === "function"));
};
