{{/* The Deployment of the pods of one role, with its disruption budget. Takes root, role and env. */}}
{{- define "mlscaler.deployment" -}}
{{- $root := .root -}}
{{- $role := .role -}}
{{- $values := $root.Values -}}
{{- $settings := index $values $role -}}
{{- $name := printf "%s-%s" (include "mlscaler.fullname" $root) $role -}}
{{- $port := ternary $values.admission.port 3000 (eq $role "admission") -}}
{{- $selector := include "mlscaler.selector" . -}}
{{- $podSecurityContext := deepCopy $values.podSecurityContext -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "mlscaler.metadata" (dict "root" $root "name" $name "namespace" $root.Release.Namespace "component" $role "labels" $settings.labels "annotations" $settings.annotations) | nindent 2 }}
spec:
  replicas: {{ $settings.replicas }}
  selector:
    matchLabels:
      {{- $selector | nindent 6 }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      # With hostNetwork two pods cannot share a node.
      maxUnavailable: {{ ternary 1 0 (and (eq $role "admission") $values.admission.hostNetwork) }}
  template:
    metadata:
      labels:
        {{- include "mlscaler.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $role }}
        {{- with $settings.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        kubectl.kubernetes.io/default-container: mlscaler
        {{- with $settings.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ $name }}
      {{- with concat ($values.global.imagePullSecrets | default list) $values.image.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ kindIs "string" . | ternary . (get (kindIs "map" . | ternary . dict) "name") }}
        {{- end }}
      {{- end }}
      {{- with $values.global.priorityClassName | default $values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- if and (eq $role "admission") $values.admission.hostNetwork }}
      hostNetwork: true
      dnsPolicy: ClusterFirstWithHostNet
      {{- end }}
      terminationGracePeriodSeconds: 15
      securityContext:
        {{- /* OpenShift gives pods their user ids, and refuses others. */ -}}
        {{- $ids := ternary (list "runAsUser" "runAsGroup" "fsGroup") list ($root.Capabilities.APIVersions.Has "security.openshift.io/v1") }}
        {{- range $ids }}{{- $_ := unset $podSecurityContext . }}{{- end }}
        {{- toYaml $podSecurityContext | nindent 8 }}
      {{- with $settings.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $settings.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      affinity:
        {{- if $settings.affinity }}
        {{- toYaml $settings.affinity | nindent 8 }}
        {{- else }}
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels:
                    {{- $selector | nindent 20 }}
        {{- end }}
      topologySpreadConstraints:
        {{- if $settings.topologySpreadConstraints }}
        {{- toYaml $settings.topologySpreadConstraints | nindent 8 }}
        {{- else }}
        - maxSkew: 1
          topologyKey: topology.kubernetes.io/zone
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- $selector | nindent 14 }}
        {{- end }}
      containers:
        - name: mlscaler
          image: {{ include "mlscaler.image" $root | quote }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          # Without the hash of a module it runs that of the image.
          args: [/app/node_modules/pepr/dist/controller.js]
          env:
            - name: PEPR_WATCH_MODE
              value: {{ eq $role "watcher" | quote }}
            - name: PEPR_PORT
              value: {{ $port | quote }}
            # A watch is tried again for ever.
            - name: PEPR_RESYNC_FAILURE_MAX
              value: "1000000"
            # MLScaler lists all objects every five minutes itself, in pages.
            - name: PEPR_RELIST_INTERVAL_SECONDS
              value: "86400"
            {{- $own := list }}
            {{- range concat (.env | default list) ($settings.env | default list) }}{{ $own = append $own .name }}{{ end }}
            {{- if not (has "NODE_OPTIONS" $own) }}
            # Within a memory limit Node gives new objects 1 MiB, and collects garbage 40 times a second.
            - name: NODE_OPTIONS
              value: "--max-semi-space-size=8"
            {{- end }}
            - name: LOG_LEVEL
              value: {{ $values.logLevel }}
            - name: MLSCALER_RESOURCES
              value: {{ include "mlscaler.resources" $root | fromYaml | keys | sortAlpha | join "," }}
            - name: MLSCALER_INSTALL_COMMAND
              value: "helm upgrade {{ $root.Release.Name }} CHART --namespace {{ $root.Release.Namespace }} --reset-then-reuse-values --set crds.enabled=true"
            - name: MLSCALER_CERTIFICATES
              value: {{ $values.certificates.mode }}
            - name: MLSCALER_CERTIFICATE_SECRET
              value: {{ include "mlscaler.certificateSecret" $root }}
            - name: MLSCALER_WEBHOOK_PATH_SECRET
              value: {{ include "mlscaler.webhookSecret" $root }}
            - name: MLSCALER_WEBHOOK
              value: {{ include "mlscaler.fullname" $root }}
            - name: MLSCALER_WEBHOOK_SERVICE
              value: {{ include "mlscaler.fullname" $root }}-webhook
            - name: MLSCALER_GUARD
              value: {{ include "mlscaler.fullname" $root }}-guard
            {{- with $values.watch.namespaces }}
            - name: MLSCALER_NAMESPACES
              value: {{ join "," . }}
            {{- end }}
            {{- with .env }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
            {{- with $settings.env }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          ports:
            - name: https
              containerPort: {{ $port }}
          readinessProbe:
            httpGet: {path: /healthz, port: https, scheme: HTTPS}
            periodSeconds: 2
          # An admission pod without a certificate is not ready, and a restart brings none.
          livenessProbe:
            tcpSocket: {port: https}
            initialDelaySeconds: 10
            periodSeconds: 10
            timeoutSeconds: 5
          {{- if eq $role "admission" }}
          lifecycle:
            # The API server goes on to use the pod until the end of its endpoint has reached all nodes.
            preStop: {sleep: {seconds: 5}}
          {{- end }}
          securityContext:
            {{- toYaml $values.containerSecurityContext | nindent 12 }}
          resources:
            {{- toYaml $settings.resources | nindent 12 }}
{{- with $settings.podDisruptionBudget }}
{{- if and .enabled (gt (int $settings.replicas) 1) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "mlscaler.metadata" (dict "root" $root "name" $name "namespace" $root.Release.Namespace "component" $role) | nindent 2 }}
spec:
  maxUnavailable: {{ .maxUnavailable }}
  selector:
    matchLabels:
      {{- $selector | nindent 6 }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The Secret with the serving certificate. */}}
{{- define "mlscaler.certificateSecret" -}}
{{- if eq .Values.certificates.mode "Provided" -}}
{{- .Values.certificates.provided.secretName -}}
{{- else -}}
{{- /* Of this release alone: a certificate of another one is for another Service. */ -}}
{{ include "mlscaler.fullname" . }}-webhook-certificate
{{- end -}}
{{- end -}}

{{/* The Secret that the watcher fills: with the path of the webhook, and in mode Managed with the certificate, too. */}}
{{- define "mlscaler.webhookSecret" -}}
{{- if eq .Values.certificates.mode "Managed" -}}
{{ include "mlscaler.certificateSecret" . }}
{{- else -}}
{{ include "mlscaler.fullname" . }}-webhook-path
{{- end -}}
{{- end -}}
